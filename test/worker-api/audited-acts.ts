// What acts of the audit log are caused with: calls from an address of their own.
import { expect } from "vitest";
import { idOf } from "../support/members.ts";
import { type Account, call, signUp } from "../support/world.ts";

export const ORIGIN = { "cf-connecting-ip": "2001:db8:7::42", "user-agent": "audit-test/1.0 (more)" };
export const SECRET = "a-secret-of-an-address";
export const TEXT = "A text that no log has";

export interface Caused {
  /** Who reads it, in their own workspace. */
  owner: Account;
  actor: { kind: string; id: unknown; name: string };
  target: { id: unknown; name: unknown };
  details?: Record<string, string>;
}
type Answer = { id: string; url: string; status: string; key: string };

/** A call in a workspace from the address that the log is to show. */
export async function act(
  by: Account,
  method: string,
  path: string,
  body?: unknown,
  { workspace } = by,
): Promise<Answer> {
  const answer = await call<Answer>(method, path, {
    token: by.session,
    headers: { ...ORIGIN, "x-workspace": workspace },
    ...(body === undefined ? {} : { body }),
  });
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body;
}
export const actorFor = async (account: Account) => ({ kind: "person", id: await idOf(account), name: "Ada" });
export const NO_TARGET = { id: null, name: null };

/** What an owner does in their workspace: the calls before it are made from elsewhere. */
export const byOwner =
  (cause: (owner: Account) => Promise<Omit<Caused, "owner" | "actor">>) => async (): Promise<Caused> => {
    const owner = await signUp();
    return { ...(await cause(owner)), owner, actor: await actorFor(owner) };
  };

export const inWorkspace = ({ workspace }: Account) => `/v1/workspaces/${workspace}`;
