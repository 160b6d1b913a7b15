// A workspace whose posts wait for approval.
import { expect } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { asMember, join } from "../support/members.ts";
import { type Account, call, connect, type PostBody, signUp } from "../support/world.ts";

export const setApproval = (owner: Account, approval: string) =>
  call("PATCH", `/v1/workspaces/${owner.workspace}`, { token: owner.session, body: { approval } });

/** A workspace with an author and a publisher, in which posts of authors need approval. */
export async function openTeam(approval = "authors") {
  const [owner, author, publisher] = [await signUp(), await signUp(), await signUp()];
  await join(owner, author, "author");
  await join(owner, publisher, "publisher");
  const channel = await connect(owner.key, "telegram");
  expect(await setApproval(owner, approval)).toMatchObject({ status: 200, body: { approval } });
  const body = { text: "x", channels: [channel.id], publish_at: tomorrow() };
  const create = (member: Account, fields: object = {}) =>
    call<PostBody>("POST", "/v1/posts", asMember(member, owner, { ...body, ...fields }));
  const patch = (member: Account, id: string, fields: object) =>
    call<PostBody>("PATCH", `/v1/posts/${id}`, asMember(member, owner, fields));
  const approve = (member: Account, id: string, fields: object) =>
    call<PostBody>("POST", `/v1/posts/${id}/approve`, asMember(member, owner, fields));
  const decline = (member: Account, id: string, fields: object = { reason: "Not now." }) =>
    call<PostBody>("POST", `/v1/posts/${id}/decline`, asMember(member, owner, fields));
  return { owner, author, publisher, channel, create, patch, approve, decline };
}
export const getUsage = async ({ key }: Account) =>
  (await call<Record<"posts" | "drafts", { used: number }>>("GET", "/v1/usage", { token: key })).body;
export const countDeliveries = (id: string) =>
  testEnv.DB.prepare("SELECT COUNT(*) AS n FROM deliveries WHERE post_id = ?").bind(id).first<number>("n");
