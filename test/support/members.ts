// Adds members to a workspace: an owner invites them, and they accept.
import { expect } from "vitest";
import type { Role } from "../../src/domain/roles.ts";
import { testEnv } from "./env.ts";
import { eventually } from "./eventually.ts";
import type { ReceivedMail } from "./mail-server.ts";
import { tokenIn } from "./mails.ts";
import { type Account, type CallOptions, call } from "./world.ts";

export interface InvitationBody {
  id: string;
  email: string;
  role: Role;
  expires_at: string;
}

/** Invites an email address to a workspace. */
export async function inviteTo(
  { session, workspace }: Pick<Account, "session" | "workspace">,
  email: string,
  role?: Role,
): Promise<InvitationBody> {
  const answer = await call<{ invitation: InvitationBody }>("POST", `/v1/workspaces/${workspace}/members`, {
    token: session,
    body: { email, ...(role === undefined ? {} : { role }) },
  });
  expect(answer).toMatchObject({ status: 202 });
  return answer.body.invitation;
}

/** Returns the token of the latest of `count` invitations that were mailed to an address. */
export async function invitationToken(email: string, count = 1): Promise<string> {
  return eventually(async () => {
    const answer = await fetch(`${testEnv.MAILS}?to=${encodeURIComponent(email)}`);
    const { mails } = await answer.json<{ mails: ReceivedMail[] }>();
    const invitations = mails.filter(({ text }) => text.includes("/invitation?token="));
    expect(invitations).toHaveLength(count);
    return tokenIn(invitations.at(-1));
  });
}

export const accept = ({ session }: Pick<Account, "session">, id: string, token?: string) =>
  call("POST", `/v1/invitations/${id}/accept`, { token: session, body: token === undefined ? {} : { token } });

export const getUserId = async ({ session }: Pick<Account, "session">) =>
  (await call<{ user: { id: string } }>("GET", "/v1/auth/me", { token: session })).body.user.id;

/** Lets a person without other invitations join a workspace, and returns their id. */
export async function join(
  owner: Pick<Account, "session" | "workspace">,
  member: Pick<Account, "session" | "email">,
  role: Role = "publisher",
): Promise<string> {
  const { id } = await inviteTo(owner, member.email, role);
  expect(await accept(member, id, await invitationToken(member.email))).toMatchObject({ status: 200, body: { role } });
  return getUserId(member);
}

/** Makes the options of a call by a member in the workspace of an owner. */
export const asMember = (member: Account, { workspace }: Account, body?: object): CallOptions => ({
  token: member.session,
  headers: { "x-workspace": workspace },
  ...(body === undefined ? {} : { body }),
});
