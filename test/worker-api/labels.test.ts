import { describe, expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, getPost, type PostBody, post, signUp } from "../support/world.ts";

interface Labels {
  labels: { name: string; posts: number }[];
  next: string | null;
}
const listLabels = async (key: string, query = "") =>
  (await call<Labels>("GET", `/v1/labels${query}`, { token: key })).body;
const edit = (key: string, id: string, body: object) =>
  call<PostBody & { error?: string; field?: string }>("PATCH", `/v1/posts/${id}`, { token: key, body });

describe("labels", () => {
  it("labels are chosen by the caller and kept unchanged", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const labels = ["Winter", "winter", "Зима ❄️", 'with "quotes", commas', "x".repeat(50)];
    const created = await post(key, { text: "x", channels: [channel.id], labels, publish_at: tomorrow() });
    expect(created.labels).toEqual(labels);
    expect((await getPost(key, created.id)).labels).toEqual(labels);
    expect((await edit(key, created.id, { text: "y" })).body.labels).toEqual(labels);
    expect((await edit(key, created.id, { labels: [] })).body.labels).toEqual([]);
  });

  it.each([
    [["a", "a"], "/labels"],
    [Array.from({ length: 11 }, (_, i) => `${i}`), "/labels"],
    [["x".repeat(51)], "/labels/0"],
    [["ok", ""], "/labels/1"],
    [["  "], "/labels/0"],
    [["a\nb"], "/labels/0"],
    ["a", "/labels"],
    [[5], "/labels/0"],
    [null, "/labels"],
  ])("the labels %j are refused", async (labels, field) => {
    const { key } = await signUp();
    const answer = await call("POST", "/v1/posts", { token: key, body: { text: "x", draft: true, labels } });
    expect(answer).toMatchObject({ status: 422, body: { error: "invalid_field", field } });
  });

  it("labels are counted with each post that gains or loses them, drafts included, and are listed by name in pages", async () => {
    const account = await signUp();
    const { key } = account;
    const stranger = await signUp();
    await post(stranger.key, { text: "x", draft: true, labels: ["a"] });
    const [first, second] = [
      await post(key, { text: "x", draft: true, labels: ["b", "a"] }),
      await post(key, { text: "x", draft: true, labels: ["a", "é"] }),
    ];
    const channel = await connect(key, "telegram");
    await post(key, { text: "x", channels: [channel.id], labels: ["c"], publish_at: tomorrow() });
    const buildLabel = (name: string, posts = 1) => ({ name, posts });
    expect(await listLabels(key)).toEqual({
      labels: [buildLabel("a", 2), buildLabel("b"), buildLabel("c"), buildLabel("é")],
      next: null,
    });
    const page = await listLabels(key, "?limit=3");
    expect(page.labels).toEqual([buildLabel("a", 2), buildLabel("b"), buildLabel("c")]);
    expect(await listLabels(key, `?limit=3&cursor=${page.next}`)).toEqual({ labels: [buildLabel("é")], next: null });
    expect(await call("GET", "/v1/labels?cursor=x", { token: key })).toMatchObject({
      status: 422,
      body: { error: "unreadable_cursor" },
    });
    await edit(key, first.id, { labels: ["b", "d"] });
    await call("DELETE", `/v1/posts/${second.id}`, { token: key });
    expect((await listLabels(key)).labels).toEqual([buildLabel("b"), buildLabel("c"), buildLabel("d")]);
    await testEnv.DB.prepare("DELETE FROM workspaces WHERE id = ?").bind(account.workspace).run();
    const remaining = testEnv.DB.prepare("SELECT COUNT(*) AS n FROM labels WHERE workspace_id = ?");
    expect(await remaining.bind(account.workspace).first("n")).toBe(0);
  });
});
