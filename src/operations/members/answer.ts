// Invitations as their recipients see and answer them.
import { sha256Hex } from "../../adapters/digest.ts";
import type { Caller, Context } from "../../context.ts";
import type {
  acceptInvitation as accept,
  declineInvitation as decline,
  listInvitations as list,
} from "../../contract/members.ts";
import type { Input, Result } from "../../contract/operation.ts";
import { refuse } from "../../domain/refusal.ts";
import {
  acceptInvitation as acceptRow,
  declineInvitation as declineRow,
  findOffer,
  hasProvenAddress,
  type Offer,
  offersTo,
} from "../../store/accounts/invitations.ts";
import { ownersOfEach } from "../../store/accounts/members.ts";
import { findMembership } from "../../store/accounts/workspaces.ts";
import { workspaceView } from "../accounts/views.ts";
import { makeAccountEntry } from "../audit-entry.ts";
import { signedIn } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { noContent, ok, type Run } from "../run.ts";
import { receivedView } from "./view.ts";

export const listInvitations: Run<typeof list> = async (ctx, caller, { query }) => {
  const before = readCursor(query.cursor, "inv");
  const offers = await offersTo(ctx.accounts, signedIn(caller).userId, query.limit + 1, before);
  const { rows, next } = buildPage(offers, query.limit);
  return ok({ invitations: await buildViews(ctx, rows), next });
};

async function buildViews(ctx: Context, offers: Offer[]): Promise<Result<typeof list>["invitations"]> {
  const ids = [...new Set(offers.map(({ workspaceId }) => workspaceId))];
  const owners = ids.length === 0 ? new Map() : await ownersOfEach(ctx.accounts, ids);
  return offers.map((offer) => receivedView(offer, owners.get(offer.workspaceId) ?? []));
}

/** The invitation of a link; null: it is no longer open. */
export async function findInvitation(ctx: Context, token: string) {
  const offer = await findOffer(ctx.accounts, await sha256Hex(token));
  const [view] = offer === undefined ? [] : await buildViews(ctx, [offer]);
  return view ?? null;
}

export const acceptInvitation: Run<typeof accept> = async (ctx, caller, input) => {
  const answer = await buildAnswer(caller, input);
  const workspaceId = await acceptRow(ctx.accounts, answer, makeAccountEntry(ctx, answer.userId, "member.joined"));
  if (workspaceId === undefined) throw await whyNotTheirs(ctx, answer.userId);
  const joined = await findMembership(ctx.accounts, workspaceId, answer.userId);
  if (joined === undefined) throw refuse("not_a_member");
  return ok(workspaceView(joined));
};

export const declineInvitation: Run<typeof decline> = async (ctx, caller, input) => {
  const answer = await buildAnswer(caller, input);
  const entry = makeAccountEntry(ctx, answer.userId, "invitation.declined");
  if (!(await declineRow(ctx.accounts, answer, entry))) throw await whyNotTheirs(ctx, answer.userId);
  return noContent;
};

async function buildAnswer(caller: Caller, { params, body }: Pick<Input<typeof accept>, "params" | "body">) {
  const { userId } = signedIn(caller);
  return { id: params.id, userId, tokenHash: body.token === undefined ? null : await sha256Hex(body.token) };
}

/** Reveals nothing about the invitation: only the caller's address decides. */
async function whyNotTheirs(ctx: Context, userId: string) {
  if (!(await hasProvenAddress(ctx.accounts, userId))) return refuse("email_not_verified");
  return refuse("not_found", { message: "Not found: no open invitation with this id for your address." });
}
