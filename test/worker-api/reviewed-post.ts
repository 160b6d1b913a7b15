// A waiting post, and the link to its review.
import { expect } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { asMember, join } from "../support/members.ts";
import { open, send } from "../support/oauth.ts";
import { type Account, call, connect, type PostBody, signUp } from "../support/world.ts";

export interface Link {
  url: string;
  expires_at: string;
}

/** Opens a workspace where authors need approval, with the waiting post of an author. */
export async function requestApproval(fields: object = {}) {
  const [owner, author] = [await signUp(), await signUp()];
  await join(owner, author, "author");
  const channel = await connect(owner.key, "telegram");
  await call("PATCH", `/v1/workspaces/${owner.workspace}`, { token: owner.session, body: { approval: "authors" } });
  const body = { text: "Exactly <this> & no more", channels: [channel.id], publish_at: tomorrow(), ...fields };
  const { body: waitingPost } = await call<PostBody>("POST", "/v1/posts", asMember(author, owner, body));
  expect(waitingPost.status).toBe("awaiting_approval");
  return { owner, author, channel, waitingPost };
}
export const createReviewLink = (account: Account, { workspace }: Account, id: string) =>
  call<Link>("POST", `/v1/posts/${id}/review-link`, { token: account.session, headers: { "x-workspace": workspace } });
export async function createReviewPath({
  owner,
  waitingPost,
}: {
  owner: Account;
  waitingPost: PostBody;
}): Promise<string> {
  const { body } = await createReviewLink(owner, owner, waitingPost.id);
  return new URL(body.url).pathname;
}
const sendDecision = (path: string, fields: Record<string, string>) => send(path, null, fields);
export const approve = (path: string, name = "Clara Client") =>
  sendDecision(path, { decision: "approve", name, reason: "" });
export const decline = (path: string, reason = "Not before Monday.") =>
  sendDecision(path, { decision: "decline", name: "Clara Client", reason });
export const openReview = (path: string) => open(path, null);
