// The checks of a smoke test, in order. Each reports its observation, or why it cannot run.
import { randomUUID } from "node:crypto";
import * as z from "zod";
import { type Client, createClient, Refusal } from "../../src/client/index.ts";
import { looksLikeAppCode } from "../../src/domain/factor.ts";
import type { Cloudflare } from "../deploy/cloudflare.ts";
import { checkAnalytics, checkBackup } from "./commands.ts";
import { checkFiles } from "./files.ts";
import { checkImport, checkPosts, checkWebhook } from "./posts.ts";

export interface Outcome {
  check: string;
  state: "ok" | "failed" | "skipped";
  says: string;
}
/** An account on a network to publish to. */
export const Channel = z.object({
  platform: z.string(),
  handle: z.string(),
  credentials: z.record(z.string(), z.string()),
});
export type Channel = z.infer<typeof Channel>;
export interface SmokeOptions {
  nobody: Client;
  /** null: sign up. */
  account: { email: string; password: string } | null;
  /** Gets a code of the account's authenticator app, or a recovery code; null: there is no user to ask. */
  askCode(): Promise<string | null>;
  channel: Channel | null;
  webhook: string | null;
  aheadMs: number;
  isLarge: boolean;
  isSlow: boolean;
  /** Whether the test may sign up on a public deployment. */
  maySignUp: boolean;
  /** A command that deploys while a video is being published. */
  deploy: string | null;
  /** A file that `npm run backup` wrote. */
  backup: string | null;
  /** The account whose analytics are queried. */
  analytics: Cloudflare | null;
}

export interface Smoke extends SmokeOptions {
  /** A client that acts in the created workspace. */
  member: Client;
  /** Whether posts go to simulators on this machine, in which case durations say nothing about Cloudflare. */
  isLocal: boolean;
  /** Runs a check. Its error becomes the reason for failure; its result becomes the observation. */
  check(name: string, doing: () => Promise<string>): Promise<void>;
  skip(name: string, reason: string): void;
}

/** Signing up or in hashes a password. Above this time, users think that the page hangs. */
const SIGN_IN_MAX_MS = 1_500;
/** Runs all checks, and returns whether the service answered. */
export async function runSmoke(options: SmokeOptions, tell: (outcome: Outcome) => void): Promise<boolean> {
  const { nobody, account, maySignUp } = options;
  const check = async (name: string, doing: () => Promise<string>) => {
    try {
      tell({ check: name, state: "ok", says: await doing() });
    } catch (error) {
      tell({ check: name, state: "failed", says: describeFailure(error) });
    }
  };
  const skip = (name: string, reason: string) => tell({ check: name, state: "skipped", says: reason });
  let isLocal = false;
  let isAlive = false;
  await check("health", async () => {
    const { body, headers } = await nobody.call("health.read");
    isAlive = true;
    isLocal = body.provider === "sandbox";
    expectThat(body.status === "ok", `the status is ${body.status}`);
    expectThat(body.warnings.length === 0, body.warnings.map(({ message }) => message).join(" "));
    const edge = headers.get("cf-ray")?.split("-").at(-1) ?? "nowhere";
    return `${body.version}, asked at ${edge}, placement ${headers.get("cf-placement") ?? "not said"}`;
  });
  if (!isAlive) return false;

  const password = randomUUID();
  const email = `smoke-${randomUUID()}@example.com`;
  let person: Client | null = null;
  let member: Client | null = null;
  const enter = async (token: string, workspace: string) => {
    person = createClient({ url: nobody.url, key: token, workspace });
    const { body } = await person.call("workspaces.reveal-key", { params: { id: workspace } });
    member = createClient({ url: nobody.url, key: body.key });
  };
  let createdWorkspace: { id: string; name: string } | null = null;
  if (account === null) {
    await check("sign-up", async () => {
      // The first account of a deployment is its operator's.
      expectThat(isLocal || maySignUp, "set SMOKE_EMAIL and SMOKE_PASSWORD to an account, or use --sign-up");
      const { result, says } = await timed(isLocal, () =>
        nobody.call("accounts.sign-up", { body: { email, password, workspace: "Smoke" } }),
      );
      const [workspace] = result.body.workspaces;
      expectThat(workspace !== undefined, "there is no workspace");
      await enter(result.body.token, workspace?.id ?? "");
      return says;
    });
  } else skip("sign-up", "SMOKE_EMAIL is set");
  await check("sign-in", async () => {
    const { result, says } = await timed(isLocal, () => beginSignIn(nobody, account ?? { email, password }));
    const token = "token" in result ? result.token : await passFactor(options, result.challenge);
    if (account !== null) {
      const session = createClient({ url: nobody.url, key: token });
      const name = `Smoke ${randomUUID()}`;
      const { body } = await session.call("workspaces.create", { body: { name } });
      createdWorkspace = { id: body.id, name };
      await enter(token, body.id);
    }
    return says;
  });
  if (member !== null) await checkWorkspace({ ...options, member, isLocal, check, skip });
  await checkBackup({ backup: options.backup, check, skip });
  await checkAnalytics({ analytics: options.analytics, check, skip });
  await endWorkspace({ person, made: createdWorkspace, check });
  return true;
}

/** A session's token, or the challenge for the account's second factor. */
async function beginSignIn(
  nobody: Client,
  body: { email: string; password: string },
): Promise<{ token: string } | { challenge: string }> {
  try {
    return { token: (await nobody.call("accounts.sign-in", { body })).body.token };
  } catch (error) {
    const challenge = error instanceof Refusal && error.code === "factor_required" ? error.body.challenge : undefined;
    if (typeof challenge !== "string") throw error;
    return { challenge };
  }
}

async function passFactor({ nobody, askCode }: SmokeOptions, challenge: string): Promise<string> {
  const typed = (await askCode()) ?? "";
  expectThat(
    typed !== "",
    "the account has a second factor: put a code of its app, or a recovery code, into SMOKE_CODE",
  );
  const factor = looksLikeAppCode(typed) ? { code: typed } : { recovery_code: typed };
  return (await nobody.call("accounts.sign-in-with-factor", { body: { challenge, ...factor } })).body.token;
}

async function checkWorkspace(smoke: Smoke): Promise<void> {
  await checkFiles(smoke);
  await checkImport(smoke);
  await checkWebhook(smoke);
  await checkPosts(smoke);
}

interface Ending extends Pick<Smoke, "check"> {
  person: Client | null;
  /** The workspace to delete; null: the created account is deleted, and the workspace with it. */
  made: { id: string; name: string } | null;
}

async function endWorkspace({ person, made, check }: Ending): Promise<void> {
  if (person === null) return;
  await check("end", async () => {
    if (made === null) await person.call("accounts.erase", { body: {} });
    else await person.call("workspaces.delete", { params: { id: made.id }, body: { name: made.name } });
    return made === null ? "the account is erased" : "the workspace is deleted";
  });
}

/** The duration of a call, which is judged on Cloudflare only. */
async function timed<Result>(
  isLocal: boolean,
  doing: () => Promise<Result>,
): Promise<{ result: Result; says: string }> {
  const before = performance.now();
  const result = await doing();
  const ms = Math.round(performance.now() - before);
  expectThat(isLocal || ms <= SIGN_IN_MAX_MS, `it took ${ms} ms, more than ${SIGN_IN_MAX_MS}`);
  return { result, says: `${ms} ms${isLocal ? ", not judged in a local run" : ""}` };
}

/** Throws an error with the observation unless the condition holds. */
export function expectThat(isSo: boolean, message: string): void {
  if (!isSo) throw new Error(message);
}

function describeFailure(error: unknown): string {
  if (error instanceof Refusal) return `${error.status} ${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
