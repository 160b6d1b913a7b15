// The link by which one person without an account approves or declines a post.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { makeKey } from "../support/keys.ts";
import { join } from "../support/members.ts";
import { fetchCrier, send } from "../support/oauth.ts";
import { type Account, call, finished, getPost, ledger, type PostBody, signUp } from "../support/world.ts";
import { approve, asked, decline, type Link, linkTo, look, makeLink } from "./reviewed-post.ts";

const WEEK_MS = 7 * 86_400_000;

describe("the link", () => {
  it("is made by who may publish, for a post that waits, and lasts seven days", async () => {
    const { owner, author, waits } = await asked();
    const before = Date.now();
    expect(await makeLink(author, owner, waits.id)).toMatchObject({
      status: 403,
      body: { error: "role_missing", role: "publisher" },
    });
    const made = await makeLink(owner, owner, waits.id);
    expect(made.status).toBe(201);
    expect(made.body.url).toMatch(/\/review\/[\w-]{43}$/);
    const life = Date.parse(made.body.expires_at) - before;
    expect(life).toBeGreaterThanOrEqual(WEEK_MS);
    expect(life).toBeLessThan(WEEK_MS + 60_000);
    const { key } = await makeKey(owner, { scopes: ["draft", "read"] });
    expect(await call("POST", `/v1/posts/${waits.id}/review-link`, { token: key })).toMatchObject({
      status: 403,
      body: { error: "scope_missing", scope: "publish" },
    });
    const { body: draft } = await call<PostBody>("POST", "/v1/posts", { token: owner.key, body: { draft: true } });
    expect(await makeLink(owner, owner, draft.id)).toMatchObject({ status: 409, body: { error: "post_not_waiting" } });
  });

  it("is kept as a hash only", async () => {
    const one = await asked();
    const token = (await linkTo(one)).split("/").at(-1) ?? "";
    const { results } = await testEnv.DB.prepare("SELECT * FROM review_links WHERE post_id = ?")
      .bind(one.waits.id)
      .all();
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).not.toContain(token);
  });

  it("ends when it is ended, replaced, expired, used, or its post is decided on, and every end looks the same", async () => {
    const one = await asked();
    const unknown = await look(`/review/${"x".repeat(43)}`);
    const dead = await unknown.text();
    const neutral = (html: string) => html.replace(/nonce="[^"]+"/g, "");
    const expectDead = async (path: string, what: string) => {
      for (const answered of [await look(path), await approve(path), await decline(path)]) {
        expect(answered.status, what).toBe(unknown.status);
        expect(neutral(await answered.text()), what).toBe(neutral(dead));
      }
    };
    expect(unknown.status).toBe(410);
    const first = await linkTo(one);
    const second = await linkTo(one);
    await expectDead(first, "replaced");
    expect((await look(second)).status).toBe(200);
    await testEnv.DB.prepare("UPDATE review_links SET expires_at = 1 WHERE post_id = ?").bind(one.waits.id).run();
    await expectDead(second, "expired");
    const third = await linkTo(one);
    const end = () =>
      call("DELETE", `/v1/posts/${one.waits.id}/review-link`, {
        token: one.owner.session,
        headers: { "x-workspace": one.owner.workspace },
      });
    expect((await end()).status).toBe(204);
    expect((await end()).status).toBe(204);
    await expectDead(third, "ended");
    const fourth = await linkTo(one);
    expect((await approve(fourth)).status).toBe(200);
    await expectDead(fourth, "used");
    const other = await asked();
    const fifth = await linkTo(other);
    await call("POST", `/v1/posts/${other.waits.id}/approve`, { token: other.owner.key, body: { rev: 1 } });
    await expectDead(fifth, "decided on elsewhere");
  });

  it("ends with the membership, the role or the key of whoever made it", async () => {
    const one = await asked();
    const { owner, waits } = one;
    const publisher = await signUp();
    const path = `/v1/workspaces/${owner.workspace}/members/${await join(owner, publisher, "publisher")}`;
    const made = async (of: Account) => new URL((await makeLink(of, owner, waits.id)).body.url).pathname;
    const byRole = await made(publisher);
    await call("PATCH", path, { token: owner.session, body: { role: "author" } });
    expect((await look(byRole)).status).toBe(410);
    await call("PATCH", path, { token: owner.session, body: { role: "publisher" } });
    const byMember = await made(publisher);
    await call("DELETE", path, { token: owner.session });
    expect((await look(byMember)).status).toBe(410);
    const key = await makeKey(owner, { scopes: ["publish"] });
    const byKey = await call<Link>("POST", `/v1/posts/${waits.id}/review-link`, { token: key.key });
    const { pathname } = new URL(byKey.body.url);
    expect((await look(pathname)).status).toBe(200);
    await call("DELETE", `/v1/workspaces/${owner.workspace}/keys/${key.id}`, { token: owner.session });
    expect((await look(pathname)).status).toBe(410);
    const byOwn = await call<Link>("POST", `/v1/posts/${waits.id}/review-link`, { token: owner.key });
    await call("POST", `/v1/workspaces/${owner.workspace}/key/rotate`, { token: owner.session });
    expect((await look(new URL(byOwn.body.url).pathname)).status).toBe(410);
  });
});

describe("the decision", () => {
  it("approves exactly what was shown, by the reviewer's name, and it goes out", async () => {
    const one = await asked({ publish_at: undefined });
    const path = await linkTo(one);
    expect(await (await look(path)).text()).toContain("as soon as it is approved");
    expect((await approve(path, "  Clara Client ")).status).toBe(200);
    const done = await finished(one.owner.key, one.waits.id);
    expect(done).toMatchObject({ status: "published", approval: { state: "approved", by: "Clara Client", rev: 1 } });
    expect((await ledger(one.channel.handle)).map(({ text }) => text)).toEqual(["Exactly <this> & no more"]);
    const { body } = await call<{ events: object[] }>("GET", `/v1/events?post=${one.waits.id}`, {
      token: one.owner.key,
    });
    expect(body.events).toContainEqual(
      expect.objectContaining({
        event: "post.approved",
        approval: expect.objectContaining({ by: "Clara Client", state: "approved" }),
      }),
    );
  });

  it("declines with a reason, which the author reads", async () => {
    const one = await asked();
    const path = await linkTo(one);
    const without = await decline(path, "  ");
    expect(without.status).toBe(422);
    expect(await without.text()).toContain("enter a reason");
    expect((await decline(path, "One line.\r\nAnother.")).status).toBe(200);
    expect(await getPost(one.owner.key, one.waits.id)).toMatchObject({
      status: "draft",
      approval: { state: "declined", by: "Clara Client", reason: "One line.\nAnother." },
    });
    const { body } = await call<{ events: object[] }>("GET", `/v1/events?post=${one.waits.id}`, {
      token: one.owner.key,
    });
    expect(body.events).toContainEqual(
      expect.objectContaining({ event: "post.declined", approval: expect.objectContaining({ by: "Clara Client" }) }),
    );
  });

  it.each(["", "  ", "a\nb", "x".repeat(101)])("needs a name: %j is none", async (name) => {
    const one = await asked();
    const path = await linkTo(one);
    const refused = await approve(path, name);
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain("Enter your name");
    expect(await getPost(one.owner.key, one.waits.id)).toMatchObject({ status: "awaiting_approval" });
  });

  it("is one, whoever sends how many at once", async () => {
    const one = await asked();
    const path = await linkTo(one);
    const answers = await Promise.all([approve(path), decline(path), approve(path), decline(path)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
    const after = await getPost(one.owner.key, one.waits.id);
    expect(after.status).toBe(answers[0]?.status === 200 || answers[2]?.status === 200 ? "scheduled" : "draft");
  });

  it("is taken from no page of another site", async () => {
    const one = await asked();
    const path = await linkTo(one);
    const fields = { decision: "approve", name: "Clara", reason: "" };
    expect((await send(path, null, fields, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await look(path)).status).toBe(200);
  });

  it("of a post that cannot be scheduled decides nothing, and says nothing of the workspace", async () => {
    const one = await asked();
    const path = await linkTo(one);
    await testEnv.DB.prepare("UPDATE channels SET credential = NULL WHERE id = ?").bind(one.channel.id).run();
    const refused = await approve(path);
    const html = await refused.text();
    expect(refused.status).toBe(422);
    expect(html).toContain("nothing was decided");
    expect(html).not.toContain(one.channel.id);
    expect(await getPost(one.owner.key, one.waits.id)).toMatchObject({ status: "awaiting_approval" });
  });

  it("can be tried by one address sixty times in ten minutes", async () => {
    const from = { "cf-connecting-ip": "203.0.113.77" };
    const statuses: number[] = [];
    for (let i = 0; i < 61; i++) {
      statuses.push((await fetchCrier(`/review/${"y".repeat(43)}`, { headers: from })).status);
    }
    expect(new Set(statuses.slice(0, 60))).toEqual(new Set([410]));
    expect(statuses.at(-1)).toBe(429);
  });
});
