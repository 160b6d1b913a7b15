// Creates and revokes named keys, like an owner of a workspace.
import { expect } from "vitest";
import type { AccountScope } from "../../src/domain/account-scopes.ts";
import type { Scope } from "../../src/domain/roles.ts";
import { type Account, call } from "./world.ts";

export interface KeyBody {
  id: string;
  name: string;
  start: string;
  scopes: Scope[];
  channels: string[] | null;
  created_by: string;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  budget_usd: number | null;
  key: string;
}

export async function makeKey(
  { session, workspace }: Pick<Account, "session" | "workspace">,
  body: {
    scopes: readonly Scope[];
    name?: string;
    channels?: string[] | null;
    expires_at?: string | null;
    budget_usd?: number;
  },
): Promise<KeyBody> {
  const answer = await call<KeyBody>("POST", `/v1/workspaces/${workspace}/keys`, {
    token: session,
    body: { name: "one", ...body },
  });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

export interface AccountKeyBody {
  id: string;
  name: string;
  start: string;
  scopes: AccountScope[];
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  key: string;
}

/** Creates an account key, with the person's password. */
export async function makeAccountKey(
  { session, password }: Pick<Account, "session" | "password">,
  scopes: readonly AccountScope[],
  body: { name?: string; expires_at?: string | null } = {},
): Promise<AccountKeyBody> {
  const answer = await call<AccountKeyBody>("POST", "/v1/auth/keys", {
    token: session,
    body: { name: "Our platform", scopes, password, ...body },
  });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

export const revoke = ({ session, workspace }: Account, id: string) =>
  call("DELETE", `/v1/workspaces/${workspace}/keys/${id}`, { token: session });
