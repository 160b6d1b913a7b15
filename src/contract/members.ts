import * as z from "zod";
import { LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { ROLE_DEFAULT, ROLES } from "../domain/roles.ts";
import { email } from "./accounts.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, cursor, id, instant, limit, page, pathId, pathIdOf } from "./shapes.ts";
import { Workspace } from "./workspaces.ts";

const role = z.enum(ROLES).meta(about("Each includes what those before it may do."));

const member = {
  id: SAMPLE.otherUser,
  email: "charles@example.com",
  name: "Charles",
  role: "publisher" as const,
  created_at: SAMPLE.created,
};

const Member = z
  .object({ id, email: z.string(), name: z.string().nullable(), role, created_at: instant })
  .meta({ id: "Member", examples: [member] });

const invitation = {
  id: SAMPLE.invitation,
  email: "charles@example.com",
  role: "publisher" as const,
  expires_at: "2026-11-28T08:30:00.000Z",
};

const Invitation = z
  .object({ id, email: z.string(), role, expires_at: instant })
  .meta({ id: "Invitation", examples: [invitation] });

/** An invitation as its recipient sees it. */
const ReceivedInvitation = Invitation.extend({
  workspace: z.object({
    id,
    name: z.string(),
    owners: z.array(z.object({ email: z.string(), email_verified: z.boolean() })),
  }),
  invited_by: z
    .object({ email: z.string(), name: z.string().nullable(), email_verified: z.boolean() })
    .meta(about("`email_verified` false: nobody has proven that the address is theirs.")),
}).meta({
  id: "ReceivedInvitation",
  examples: [
    {
      ...invitation,
      workspace: {
        id: SAMPLE.workspace,
        name: "Analytical Engines",
        owners: [{ email: "ada@example.com", email_verified: true }],
      },
      invited_by: { email: "ada@example.com", name: "Ada", email_verified: true },
    },
  ],
});

const userId = pathId.meta({ examples: [SAMPLE.otherUser] });
const invitationId = { id: pathId.meta({ examples: [SAMPLE.invitation] }) };
const KEY_SEEN = "They have seen the workspace key. Replace it.";

export const listMembers = operation({
  ...plain,
  method: "GET",
  path: "/v1/workspaces/:id/members",
  auth: "session",
  ability: "read",
  tag: "Members",
  summary: "Who may act in a workspace, and who is invited to",
  params: z.object(pathIdOf(SAMPLE.workspace)),
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("members", Member).extend({
    invitations: z.array(Invitation).meta(about("All that are open, on every page.")),
  }),
  success: { 200: "Newest first." },
  refusals: ["unreadable_cursor"],
});

export const invite = operation({
  ...plain,
  method: "POST",
  path: "/v1/workspaces/:id/members",
  auth: "session",
  ability: "manage_members",
  tag: "Members",
  summary: "Invite somebody to a workspace",
  description:
    "A mail with a link goes to the address, whether or not it has an account. Who is signed in with that address can accept " +
    "within seven days; nobody is a member before. Inviting the same address again replaces the invitation. It ends when who " +
    "sent it is no owner any more.",
  params: z.object(pathIdOf(SAMPLE.workspace)),
  body: z.strictObject({
    email,
    role: role.default(ROLE_DEFAULT).meta(about(`Default \`${ROLE_DEFAULT}\`: reads, and changes nothing.`)),
  }),
  result: z.object({ invitation: Invitation }).meta({ examples: [{ invitation }] }),
  success: { 202: "The invitation. Its mail is on its way." },
  refusals: ["email_invalid", "already_member", "too_many_invitations", "mail_not_configured"],
  examples: { "Somebody who publishes": { email: "charles@example.com", role: "publisher" } },
});

export const changeRole = operation({
  ...plain,
  method: "PATCH",
  path: "/v1/workspaces/:id/members/:user",
  auth: "session",
  ability: "manage_members",
  tag: "Members",
  summary: "Change a member's role",
  description: "From the next call on, also for the applications that they let in. A workspace keeps an owner.",
  params: z.object({ ...pathIdOf(SAMPLE.workspace), user: userId }),
  body: z.strictObject({ role }),
  result: Member.extend({
    key_seen: z
      .literal(true)
      .optional()
      .meta(about("Only if they are no owner any more and have seen the key that still opens the workspace.")),
    hint: z.string().optional(),
  }).meta({ examples: [{ ...member, role: "author" }] }),
  success: { 200: "The member, as they now are." },
  refusals: ["not_found", "owner_stays"],
  examples: { "They write, and others publish": { role: "author" } },
});

export const removeMember = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/workspaces/:id/members/:user",
  auth: "session",
  ability: "read",
  tag: "Members",
  summary: "Take a user out of a workspace",
  description: "By an owner, or by the members themselves. A workspace keeps an owner.",
  params: z.object({ ...pathIdOf(SAMPLE.workspace), user: userId }),
  result: z.object({ key_seen: z.literal(true), hint: z.string() }).meta({
    examples: [{ key_seen: true, hint: KEY_SEEN }],
  }),
  success: {
    204: "Gone.",
    200: "Gone; they have seen the key that still opens the workspace. Only an owner gets this answer.",
  },
  refusals: ["role_missing", "not_found", "owner_stays"],
});

export const resetFactors = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/workspaces/:id/members/:user/factors",
  auth: "session",
  ability: "manage_members",
  tag: "Members",
  summary: "Reset the second factor of a member who has lost it",
  description:
    "By an owner of every workspace that the member belongs to, who shows a factor of their own. A workspace that the member has to " +
    "themselves and has not used does not count. The member's sessions and applications end, and they are told by mail.",
  params: z.object({ ...pathIdOf(SAMPLE.workspace), user: userId }),
  success: {
    204: "Gone, with the recovery codes. The member signs in with their password, and sets up another factor.",
  },
  refusals: ["not_found", "factor_guards_more", "factor_required"],
});

export const withdrawInvitation = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/workspaces/:id/invitations/:invitation",
  auth: "session",
  ability: "manage_members",
  tag: "Members",
  summary: "Withdraw an invitation",
  params: z.object({ ...pathIdOf(SAMPLE.workspace), invitation: invitationId.id }),
  success: { 204: "Its link opens nothing any more." },
  refusals: ["not_found"],
});

export const listInvitations = operation({
  ...plain,
  method: "GET",
  path: "/v1/invitations",
  auth: "session",
  tag: "Members",
  summary: "The workspaces that the signed-in user is invited to",
  description: "Empty while the account's address is unproven (`email_verified`).",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("invitations", ReceivedInvitation),
  success: { 200: "Open ones, newest first." },
  refusals: ["unreadable_cursor"],
});

const token = z
  .string()
  .max(1000)
  .optional()
  .meta({
    description: "Of the mailed link. It proves the address, so that an account whose address is unproven can answer.",
    examples: ["Zm9yIGV4YW1wbGUgb25seQ"],
  });

export const acceptInvitation = operation({
  ...plain,
  method: "POST",
  path: "/v1/invitations/:id/accept",
  auth: "session",
  tag: "Members",
  summary: "Become a member of a workspace",
  description:
    "By who is signed in with the invited address, once that is proven; the mailed link's `token` proves it.",
  params: z.object(invitationId),
  body: z.strictObject({ token }),
  bodyOptional: true,
  result: Workspace,
  success: { 200: "The workspace, with your role in it." },
  refusals: ["email_not_verified", "not_found"],
  examples: { "With the link's token": { token: "Zm9yIGV4YW1wbGUgb25seQ" } },
});

export const declineInvitation = operation({
  ...plain,
  method: "POST",
  path: "/v1/invitations/:id/decline",
  auth: "session",
  tag: "Members",
  summary: "Turn an invitation down",
  params: z.object(invitationId),
  body: z.strictObject({ token }),
  bodyOptional: true,
  success: { 204: "It is gone. Nobody gets a mail." },
  refusals: ["email_not_verified", "not_found"],
  examples: { "With the link's token": { token: "Zm9yIGV4YW1wbGUgb25seQ" } },
});
