// A post that waits, and the link to it.
import { expect } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { as, join } from "../support/members.ts";
import { open, send } from "../support/oauth.ts";
import { type Account, call, connect, type PostBody, signUp } from "../support/world.ts";

export interface Link {
  url: string;
  expires_at: string;
}

/** A workspace where authors ask, and what an author has asked. */
export async function asked(more: object = {}) {
  const [owner, author] = [await signUp(), await signUp()];
  await join(owner, author, "author");
  const channel = await connect(owner.key, "telegram");
  await call("PATCH", `/v1/workspaces/${owner.workspace}`, { token: owner.session, body: { approval: "authors" } });
  const body = { text: "Exactly <this> & no more", channels: [channel.id], publish_at: tomorrow(), ...more };
  const { body: waits } = await call<PostBody>("POST", "/v1/posts", as(author, owner, body));
  expect(waits.status).toBe("awaiting_approval");
  return { owner, author, channel, waits };
}
export const makeLink = (of: Account, { workspace }: Account, id: string) =>
  call<Link>("POST", `/v1/posts/${id}/review-link`, { token: of.session, headers: { "x-workspace": workspace } });
export async function linkTo({ owner, waits }: { owner: Account; waits: PostBody }): Promise<string> {
  const { body } = await makeLink(owner, owner, waits.id);
  return new URL(body.url).pathname;
}
const answer = (path: string, fields: Record<string, string>) => send(path, null, fields);
export const approve = (path: string, name = "Clara Client") => answer(path, { decision: "approve", name, reason: "" });
export const decline = (path: string, reason = "Not before Monday.") =>
  answer(path, { decision: "decline", name: "Clara Client", reason });
export const look = (path: string) => open(path, null);
