// Scripted faults: which call of which account fails, how, and how often.
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import * as z from "zod";
import { altered } from "./altered.ts";

export const Fault = z.strictObject({
  platform: z.string(),
  /** Handle or id; any account if omitted. */
  account: z.string().optional(),
  /** The network's own name of the call. */
  call: z.string(),
  count: z.int().min(1).default(1),
  /** Calls that succeed before the first one fails. */
  skip: z.int().min(0).default(0),
  do: z.enum([
    "timeout",
    "timeout_after_accept",
    "reset_before",
    "reset_after_accept",
    "status",
    "status_after_accept",
    "delay",
    "alter_text",
    "drop_file",
  ]),
  status: z.int().min(200).max(599).default(500),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.unknown().optional(),
  delay_ms: z.int().min(0).max(600_000).optional(),
});
export type Fault = z.output<typeof Fault>;

/** How long a call hangs if its caller does not give up. */
const HANG_MAX_MS = 120_000;

export class Faults {
  #armed: Fault[] = [];

  arm(faults: Fault[]): void {
    this.#armed.push(...faults.map((fault) => ({ ...fault })));
  }
  list(): Fault[] {
    return this.#armed;
  }
  /** Disarms the faults of this network or account; with neither, all of them. */
  forget({ platform, account }: { platform?: string; account?: string }): void {
    this.#armed = this.#armed.filter(
      (fault) => fault.platform !== (platform ?? fault.platform) || fault.account !== (account ?? fault.account),
    );
  }

  /** The fault for this call, which is then used up. `accounts` are all names of the account. */
  take(platform: string, call: string, accounts: string[]): Fault | undefined {
    const fits = (fault: Fault) =>
      fault.platform === platform &&
      fault.call.toLowerCase() === call.toLowerCase() &&
      (fault.account === undefined || accounts.includes(fault.account));
    const fault = this.#armed.find(fits);
    if (fault === undefined) return undefined;
    if (fault.skip > 0) {
      fault.skip--;
      return undefined;
    }
    fault.count--;
    if (fault.count === 0) this.#armed = this.#armed.filter((armedFault) => armedFault !== fault);
    return fault;
  }
}

/** Carries a call out according to a fault: `act` is the real call, and records the accepted posts. */
export async function misbehave(
  fault: Fault | undefined,
  bindings: HttpBindings,
  act: () => Promise<Response>,
): Promise<Response> {
  const { socket } = bindings.incoming;
  const drop = () => {
    socket.destroy();
    return RESPONSE_ALREADY_SENT;
  };
  const hang = async (ms: number) => {
    if (socket.destroyed) return;
    await new Promise<void>((resolve) => {
      const over = () => {
        clearTimeout(timer);
        socket.off("close", over);
        resolve();
      };
      const timer = setTimeout(over, ms);
      socket.once("close", over);
    });
  };
  const scripted = (status: number) =>
    new Response(typeof fault?.body === "string" ? fault.body : JSON.stringify(fault?.body ?? {}), {
      status,
      headers: { "content-type": "application/json", "x-simulator-fault": "1", ...fault?.headers },
    });
  switch (fault?.do) {
    case undefined:
      return act();
    case "timeout":
      await hang(fault.delay_ms ?? HANG_MAX_MS);
      return drop();
    case "timeout_after_accept":
      await act();
      await hang(fault.delay_ms ?? HANG_MAX_MS);
      return drop();
    case "reset_before":
      return drop();
    case "reset_after_accept":
      await act();
      return drop();
    case "status":
      return scripted(fault.status);
    case "status_after_accept":
      await act();
      return scripted(fault.status);
    case "delay":
      await hang(fault.delay_ms ?? 1_000);
      return act();
    case "alter_text":
    case "drop_file":
      return altered(await act(), fault.do);
  }
}
