// The client for commands: any failed call throws a failure with an exit code.
import { type Client, createClient, type ClientOptions as Options } from "../../src/client/client.ts";
import { CrierError, NoAnswer, Refusal } from "../../src/client/errors.ts";
import { patiently as askPatiently, everyPage, type ReadPage } from "../../src/client/pages.ts";
import { type Pause, pause as wait } from "../../src/client/pause.ts";
import { Failure, interrupted, Refused, Unanswered, usage } from "../failure.ts";
import { VERSION } from "../version.ts";

export type { Answer, Body, Client } from "../../src/client/client.ts";
export { connectionTrouble } from "../../src/client/errors.ts";

export type ClientOptions = Options & { signal: AbortSignal };

/** A client whose calls throw `Failure`. */
export function makeClient(options: ClientOptions): Client {
  const client = createClient({ ...options, userAgent: `crier-cli/${VERSION}` });
  return {
    ...client,
    async call(name, ...input) {
      try {
        return await client.call(name, ...input);
      } catch (error) {
        throw asFailure(error, options.signal);
      }
    },
    async *stream(name, input) {
      try {
        yield* client.stream(name, input);
      } catch (error) {
        throw asFailure(error, options.signal);
      }
    },
  };
}

/** Converts an error of a call into the failure of a command. `signal`: Ctrl-C. */
export function asFailure(error: unknown, signal?: AbortSignal): unknown {
  if (error instanceof Failure) return error;
  if (signal?.aborted === true) return interrupted();
  if (error instanceof Refusal) return new Refused(error);
  if (error instanceof NoAnswer) return new Unanswered(error, getHint(error.status));
  // The call could not be sent as it is: an id, a key or a header has the wrong characters.
  return error instanceof CrierError ? usage(error.message) : error;
}

function getHint(status: number | null): string {
  if (status === null || status === 200) return "check the address: crier doctor";
  return status < 400 ? "use the address that it redirects to: crier login --url …" : "try again in a moment";
}

/**
 * Retries until there is an answer, however long that takes. A refusal counts as an answer. `tell` is called once, when the
 * service first does not answer.
 */
export const patiently = <Found>(
  ask: () => Promise<Found>,
  signal: AbortSignal,
  tell: (text: string) => void,
  pause: Pause = sleep,
): Promise<Found> => askPatiently({ pause, signal }, ask, { onSilence: tell });

/** Waits. Throws if interrupted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await wait(ms, signal);
  } catch {
    throw interrupted();
  }
}

/** More entries of a list are not shown. */
const LISTED_MAX = 10_000;

/** All pages of a list, up to `max` items; `more` tells whether there are further items. */
export async function allPages<Item>(
  read: ReadPage<Item>,
  max = LISTED_MAX,
): Promise<{ items: Item[]; more: boolean }> {
  const items: Item[] = [];
  try {
    for await (const page of everyPage(read)) {
      items.push(...page.items);
      if (page.next !== null && items.length >= max) return { items, more: true };
    }
    return { items, more: false };
  } catch (error) {
    throw asFailure(error);
  }
}
