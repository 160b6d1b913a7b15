// What members say to each other about a post.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { makeKey } from "../support/keys.ts";
import { asMember, join } from "../support/members.ts";
import { type Account, type CallOptions, call, connect, post, signUp } from "../support/world.ts";

interface Comment {
  id: string;
  text: string;
  by: string;
  at: string;
}

const write = (options: CallOptions, id: string, text = "Is this right?") =>
  call<Comment>("POST", `/v1/posts/${id}/comments`, { ...options, body: { text } });
const list = async (options: CallOptions, id: string, query = "") =>
  (await call<{ comments: Comment[]; next: string | null }>("GET", `/v1/posts/${id}/comments${query}`, options)).body;

async function setUpDraft() {
  const owner = await signUp();
  const draft = await post(owner.key, { text: "draft", draft: true });
  return { owner, id: draft.id, byKey: { token: owner.key } };
}

async function addMember(owner: Account, role: "viewer" | "author") {
  const member = await signUp();
  await join(owner, member, role);
  return asMember(member, owner);
}

describe("comments on a post", () => {
  it("are listed newest first with the names of their authors, in full pages", async () => {
    const { owner, id, byKey } = await setUpDraft();
    const author = await addMember(owner, "author");
    const { status, body: first } = await write(author, id);
    expect(status).toBe(201);
    expect(first).toEqual({
      id: expect.stringMatching(/^cmt_/),
      text: "Is this right?",
      by: "Ada",
      at: expect.stringMatching(/^2\d{3}-.*Z$/),
    });
    const { body: second } = await write(byKey, id, "It is.");
    const { body: third } = await write(author, id, "Thank you.");
    expect(await list(byKey, id)).toEqual({ comments: [third, second, first], next: null });
    const page = await list(byKey, id, "?limit=2");
    expect(page.comments).toEqual([third, second]);
    expect(await list(byKey, id, `?limit=2&cursor=${page.next}`)).toEqual({ comments: [first], next: null });
  });

  it("can be read but not written by a viewer, and by keys as far as their scopes reach", async () => {
    const { owner, id } = await setUpDraft();
    const viewer = await addMember(owner, "viewer");
    expect(await write(viewer, id)).toMatchObject({ status: 403, body: { error: "role_missing" } });
    expect((await list(viewer, id)).comments).toEqual([]);
    const reader = { token: (await makeKey(owner, { scopes: ["read"] })).key };
    expect(await write(reader, id)).toMatchObject({ status: 403, body: { error: "scope_missing" } });
    const writer = { token: (await makeKey(owner, { scopes: ["draft"] })).key };
    expect((await write(writer, id)).status).toBe(201);
  });

  it("of a post that the caller cannot see are not there", async () => {
    const { owner, id } = await setUpDraft();
    const stranger = { token: (await signUp()).key };
    const [reachable, other] = [await connect(owner.key, "telegram"), await connect(owner.key, "telegram")];
    const far = await post(owner.key, { text: "x", draft: true, channels: [other.id] });
    const limited = await makeKey(owner, { scopes: ["read", "draft"], channels: [reachable.id] });
    for (const [options, postId] of [
      [stranger, id],
      [{ token: limited.key }, far.id],
    ] as const) {
      expect((await write(options, postId)).status).toBe(404);
      expect((await call("GET", `/v1/posts/${postId}/comments`, options)).status).toBe(404);
    }
  });

  it.each([
    ["an empty text", " \n"],
    ["a text that is too long", "x".repeat(5_001)],
  ])("refuses %s", async (_, text) => {
    const { id, byKey } = await setUpDraft();
    expect(await write(byKey, id, text)).toMatchObject({ status: 422, body: { error: "invalid_field" } });
  });

  it("are deleted with their post", async () => {
    const { id, byKey } = await setUpDraft();
    await write(byKey, id);
    expect((await call("DELETE", `/v1/posts/${id}`, byKey)).status).toBe(204);
    const rows = await testEnv.DB.prepare("SELECT id FROM comments WHERE post_id = ?").bind(id).all();
    expect(rows.results).toEqual([]);
  });
});
