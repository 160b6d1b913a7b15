import * as z from "zod";
import { LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { ROLE_DEFAULT, ROLES } from "../domain/roles.ts";
import { email } from "./accounts.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, buildIdParams, cursor, id, instant, limit, page, pathId } from "./shapes.ts";
import { Workspace } from "./workspaces.ts";

const role = z.enum(ROLES).meta(about("Each role includes the permissions of those before it."));

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
    .meta(about("`email_verified` is false if the address has not been verified.")),
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
  summary: "List a workspace's members and invitations",
  params: z.object(buildIdParams(SAMPLE.workspace)),
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("members", Member).extend({
    invitations: z.array(Invitation).meta(about("All open invitations, on every page.")),
  }),
  success: { 200: "A page of members, newest first." },
  refusals: ["unreadable_cursor"],
});

export const invite = operation({
  ...plain,
  method: "POST",
  path: "/v1/workspaces/:id/members",
  auth: "session",
  ability: "manage_members",
  tag: "Members",
  summary: "Invite a person to a workspace",
  description:
    "Mails a link to the address, whether or not it has an account; with `link: true`, returns the link instead, for you to send. " +
    "A user signed in with that address can accept " +
    "within seven days and only then becomes a member. Inviting the same address again replaces the invitation. It ends when its " +
    "sender stops being an owner.",
  params: z.object(buildIdParams(SAMPLE.workspace)),
  body: z.strictObject({
    email,
    role: role.default(ROLE_DEFAULT).meta(about(`Default \`${ROLE_DEFAULT}\`: read-only.`)),
    link: z
      .boolean()
      .optional()
      .meta(
        about(
          "true: no mail is sent, and `url` is returned. Also works where mail is not configured. Accepting by this link does not verify the address.",
        ),
      ),
  }),
  result: z
    .object({
      invitation: Invitation,
      url: z.string().optional().meta(about("With `link: true` only, and in this response only.")),
    })
    .meta({ examples: [{ invitation }] }),
  success: { 202: "The invitation. The mail is being sent, or with `link: true`, none is." },
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
  description: "Applies from the next call on, also to applications they authorized. A workspace must keep an owner.",
  params: z.object({ ...buildIdParams(SAMPLE.workspace), user: userId }),
  body: z.strictObject({ role }),
  result: Member.extend({
    key_seen: z
      .literal(true)
      .optional()
      .meta(about("Set only if the member stops being an owner and has seen the current workspace key.")),
    hint: z.string().optional(),
  }).meta({ examples: [{ ...member, role: "author" }] }),
  success: { 200: "The updated member." },
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
  summary: "Remove a member from a workspace",
  description: "Owners can remove any member; members can leave. A workspace must keep an owner.",
  params: z.object({ ...buildIdParams(SAMPLE.workspace), user: userId }),
  result: z.object({ key_seen: z.literal(true), hint: z.string() }).meta({
    examples: [{ key_seen: true, hint: KEY_SEEN }],
  }),
  success: {
    204: "The member is removed.",
    200: "The member is removed and has seen the current workspace key. Only owners get this answer.",
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
    "Requires an owner of every workspace that the member belongs to, who proves a factor of their own. Unused workspaces with no other " +
    "member do not count. The member's sessions and applications end, and the member is notified by mail.",
  params: z.object({ ...buildIdParams(SAMPLE.workspace), user: userId }),
  success: {
    204: "The factors and recovery codes are removed. The member signs in with their password and sets up another factor.",
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
  params: z.object({ ...buildIdParams(SAMPLE.workspace), invitation: invitationId.id }),
  success: { 204: "The invitation is withdrawn and its link no longer works." },
  refusals: ["not_found"],
});

export const listInvitations = operation({
  ...plain,
  method: "GET",
  path: "/v1/invitations",
  auth: "session",
  tag: "Members",
  summary: "List the signed-in user's invitations",
  description: "Empty until the account's address is verified (`email_verified`).",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("invitations", ReceivedInvitation),
  success: { 200: "A page of open invitations, newest first." },
  refusals: ["unreadable_cursor"],
});

const token = z
  .string()
  .max(1000)
  .optional()
  .meta({
    description:
      "The token from the mailed link. It verifies the address, so an account with an unverified address can answer.",
    examples: ["Zm9yIGV4YW1wbGUgb25seQ"],
  });

export const acceptInvitation = operation({
  ...plain,
  method: "POST",
  path: "/v1/invitations/:id/accept",
  auth: "session",
  tag: "Members",
  summary: "Accept an invitation",
  description:
    "Requires a session of the invited address, once that address is verified. The mailed link's `token` verifies it.",
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
  summary: "Decline an invitation",
  params: z.object(invitationId),
  body: z.strictObject({ token }),
  bodyOptional: true,
  success: { 204: "The invitation is declined. No mail is sent." },
  refusals: ["email_not_verified", "not_found"],
  examples: { "With the link's token": { token: "Zm9yIGV4YW1wbGUgb25seQ" } },
});
