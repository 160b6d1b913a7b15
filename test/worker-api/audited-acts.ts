// Calls that cause acts of the audit log, from an address of their own.
import { expect } from "vitest";
import { getUserId } from "../support/members.ts";
import { type Account, call, signUp } from "../support/world.ts";

export const ORIGIN = { "cf-connecting-ip": "2001:db8:7::42", "user-agent": "audit-test/1.0 (more)" };
export const SECRET = "a-secret-of-an-address";
export const TEXT = "A text that no log has";

export interface Caused {
  /** The account that reads the log, in its own workspace. */
  owner: Account;
  actor: { kind: string; id: unknown; name: string };
  target: { id: unknown; name: unknown };
  details?: Record<string, string>;
}
type Answer = { id: string; url: string; status: string; key: string };

/** Makes a call in a workspace, from the address that the log is expected to show. */
export async function act(
  account: Account,
  method: string,
  path: string,
  body?: unknown,
  { workspace } = account,
): Promise<Answer> {
  const answer = await call<Answer>(method, path, {
    token: account.session,
    headers: { ...ORIGIN, "x-workspace": workspace },
    ...(body === undefined ? {} : { body }),
  });
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body;
}
export const actorFor = async (account: Account) => ({ kind: "person", id: await getUserId(account), name: "Ada" });
export const NO_TARGET = { id: null, name: null };

/** An act of an owner in their workspace. The calls that prepare it come from another address. */
export const byOwner =
  (cause: (owner: Account) => Promise<Omit<Caused, "owner" | "actor">>) => async (): Promise<Caused> => {
    const owner = await signUp();
    return { ...(await cause(owner)), owner, actor: await actorFor(owner) };
  };

export const inWorkspace = ({ workspace }: Account) => `/v1/workspaces/${workspace}`;
