import type { changeRole, invite, listInvitations } from "../../contract/members.ts";
import type { Result } from "../../contract/operation.ts";
import { isoInstant } from "../../domain/instant.ts";
import type { InvitationRow, Offer } from "../../store/accounts/invitations.ts";
import type { MemberRow, Owner } from "../../store/accounts/members.ts";

export function memberView({ createdAt, ...row }: MemberRow): Result<typeof changeRole> {
  return { ...row, created_at: isoInstant(createdAt) };
}

export function invitationView(
  row: Pick<InvitationRow, "id" | "email" | "role" | "expiresAt">,
): Result<typeof invite>["invitation"] {
  const { id, email, role, expiresAt } = row;
  return { id, email, role, expires_at: isoInstant(expiresAt) };
}

type Received = Result<typeof listInvitations>["invitations"][number];

/** An invitation as its recipient sees it. `owners`: of its workspace. */
export function receivedView(offer: Offer, owners: Owner[]): Received {
  const { workspaceId: id, workspaceName: name } = offer;
  return {
    ...invitationView(offer),
    workspace: { id, name, owners: owners.map(({ email, verified }) => ({ email, email_verified: verified })) },
    invited_by: {
      email: offer.inviterEmail,
      name: offer.inviterName,
      email_verified: offer.inviterVerifiedAt !== null,
    },
  };
}
