// The link with which a person without an account approves or declines one post.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { makeKey } from "../support/keys.ts";
import { join } from "../support/members.ts";
import { fetchCrier, send } from "../support/oauth.ts";
import { type Account, call, finished, getPost, ledger, type PostBody, signUp } from "../support/world.ts";
import {
  approve,
  createReviewLink,
  createReviewPath,
  decline,
  type Link,
  openReview,
  requestApproval,
} from "./reviewed-post.ts";

const WEEK_MS = 7 * 86_400_000;

describe("a review link", () => {
  it("a review link is created by a caller who may publish, for a waiting post, and lasts seven days", async () => {
    const { owner, author, waitingPost } = await requestApproval();
    const before = Date.now();
    expect(await createReviewLink(author, owner, waitingPost.id)).toMatchObject({
      status: 403,
      body: { error: "role_missing", role: "publisher" },
    });
    const created = await createReviewLink(owner, owner, waitingPost.id);
    expect(created.status).toBe(201);
    expect(created.body.url).toMatch(/\/review\/[\w-]{43}$/);
    const life = Date.parse(created.body.expires_at) - before;
    expect(life).toBeGreaterThanOrEqual(WEEK_MS);
    expect(life).toBeLessThan(WEEK_MS + 60_000);
    const { key } = await makeKey(owner, { scopes: ["draft", "read"] });
    expect(await call("POST", `/v1/posts/${waitingPost.id}/review-link`, { token: key })).toMatchObject({
      status: 403,
      body: { error: "scope_missing", scope: "publish" },
    });
    const { body: draft } = await call<PostBody>("POST", "/v1/posts", { token: owner.key, body: { draft: true } });
    expect(await createReviewLink(owner, owner, draft.id)).toMatchObject({
      status: 409,
      body: { error: "post_not_waiting" },
    });
  });

  it("a review link is stored only as a hash", async () => {
    const review = await requestApproval();
    const token = (await createReviewPath(review)).split("/").at(-1) ?? "";
    const { results } = await testEnv.DB.prepare("SELECT * FROM review_links WHERE post_id = ?")
      .bind(review.waitingPost.id)
      .all();
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).not.toContain(token);
  });

  it("a review link ends when it is revoked, replaced, expired or used, or its post is decided on, and each end looks the same", async () => {
    const review = await requestApproval();
    const unknown = await openReview(`/review/${"x".repeat(43)}`);
    const dead = await unknown.text();
    const neutral = (html: string) => html.replace(/nonce="[^"]+"/g, "");
    const expectDead = async (path: string, cause: string) => {
      for (const response of [await openReview(path), await approve(path), await decline(path)]) {
        expect(response.status, cause).toBe(unknown.status);
        expect(neutral(await response.text()), cause).toBe(neutral(dead));
      }
    };
    expect(unknown.status).toBe(410);
    const first = await createReviewPath(review);
    const second = await createReviewPath(review);
    await expectDead(first, "replaced");
    expect((await openReview(second)).status).toBe(200);
    await testEnv.DB.prepare("UPDATE review_links SET expires_at = 1 WHERE post_id = ?")
      .bind(review.waitingPost.id)
      .run();
    await expectDead(second, "expired");
    const third = await createReviewPath(review);
    const end = () =>
      call("DELETE", `/v1/posts/${review.waitingPost.id}/review-link`, {
        token: review.owner.session,
        headers: { "x-workspace": review.owner.workspace },
      });
    expect((await end()).status).toBe(204);
    expect((await end()).status).toBe(204);
    await expectDead(third, "ended");
    const fourth = await createReviewPath(review);
    expect((await approve(fourth)).status).toBe(200);
    await expectDead(fourth, "used");
    const otherReview = await requestApproval();
    const fifth = await createReviewPath(otherReview);
    await call("POST", `/v1/posts/${otherReview.waitingPost.id}/approve`, {
      token: otherReview.owner.key,
      body: { rev: 1 },
    });
    await expectDead(fifth, "decided on elsewhere");
  });

  it("a review link ends with the membership, the role or the key of its creator", async () => {
    const review = await requestApproval();
    const { owner, waitingPost } = review;
    const publisher = await signUp();
    const path = `/v1/workspaces/${owner.workspace}/members/${await join(owner, publisher, "publisher")}`;
    const createPath = async (account: Account) =>
      new URL((await createReviewLink(account, owner, waitingPost.id)).body.url).pathname;
    const byRole = await createPath(publisher);
    await call("PATCH", path, { token: owner.session, body: { role: "author" } });
    expect((await openReview(byRole)).status).toBe(410);
    await call("PATCH", path, { token: owner.session, body: { role: "publisher" } });
    const byMember = await createPath(publisher);
    await call("DELETE", path, { token: owner.session });
    expect((await openReview(byMember)).status).toBe(410);
    const key = await makeKey(owner, { scopes: ["publish"] });
    const byKey = await call<Link>("POST", `/v1/posts/${waitingPost.id}/review-link`, { token: key.key });
    const { pathname } = new URL(byKey.body.url);
    expect((await openReview(pathname)).status).toBe(200);
    await call("DELETE", `/v1/workspaces/${owner.workspace}/keys/${key.id}`, { token: owner.session });
    expect((await openReview(pathname)).status).toBe(410);
    const byOwn = await call<Link>("POST", `/v1/posts/${waitingPost.id}/review-link`, { token: owner.key });
    await call("POST", `/v1/workspaces/${owner.workspace}/key/rotate`, { token: owner.session });
    expect((await openReview(new URL(byOwn.body.url).pathname)).status).toBe(410);
  });
});

describe("the decision of a reviewer", () => {
  it("an approval covers exactly the shown content, has the reviewer's name, and publishes the post", async () => {
    const review = await requestApproval({ publish_at: undefined });
    const path = await createReviewPath(review);
    expect(await (await openReview(path)).text()).toContain("as soon as it is approved");
    expect((await approve(path, "  Clara Client ")).status).toBe(200);
    const published = await finished(review.owner.key, review.waitingPost.id);
    expect(published).toMatchObject({
      status: "published",
      approval: { state: "approved", by: "Clara Client", rev: 1 },
    });
    expect((await ledger(review.channel.handle)).map(({ text }) => text)).toEqual(["Exactly <this> & no more"]);
    const { body } = await call<{ events: object[] }>("GET", `/v1/events?post=${review.waitingPost.id}`, {
      token: review.owner.key,
    });
    expect(body.events).toContainEqual(
      expect.objectContaining({
        event: "post.approved",
        approval: expect.objectContaining({ by: "Clara Client", state: "approved" }),
      }),
    );
  });

  it("declining needs a reason, which the author can read", async () => {
    const review = await requestApproval();
    const path = await createReviewPath(review);
    const without = await decline(path, "  ");
    expect(without.status).toBe(422);
    expect(await without.text()).toContain("enter a reason");
    expect((await decline(path, "One line.\r\nAnother.")).status).toBe(200);
    expect(await getPost(review.owner.key, review.waitingPost.id)).toMatchObject({
      status: "draft",
      approval: { state: "declined", by: "Clara Client", reason: "One line.\nAnother." },
    });
    const { body } = await call<{ events: object[] }>("GET", `/v1/events?post=${review.waitingPost.id}`, {
      token: review.owner.key,
    });
    expect(body.events).toContainEqual(
      expect.objectContaining({ event: "post.declined", approval: expect.objectContaining({ by: "Clara Client" }) }),
    );
  });

  it.each(["", "  ", "a\nb", "x".repeat(101)])("a decision needs a name, and %j is refused", async (name) => {
    const review = await requestApproval();
    const path = await createReviewPath(review);
    const refused = await approve(path, name);
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain("Enter your name");
    expect(await getPost(review.owner.key, review.waitingPost.id)).toMatchObject({ status: "awaiting_approval" });
  });

  it("only one of several simultaneous decisions is accepted", async () => {
    const review = await requestApproval();
    const path = await createReviewPath(review);
    const answers = await Promise.all([approve(path), decline(path), approve(path), decline(path)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
    const after = await getPost(review.owner.key, review.waitingPost.id);
    expect(after.status).toBe(answers[0]?.status === 200 || answers[2]?.status === 200 ? "scheduled" : "draft");
  });

  it("a decision from a page of another site is refused", async () => {
    const review = await requestApproval();
    const path = await createReviewPath(review);
    const fields = { decision: "approve", name: "Clara", reason: "" };
    expect((await send(path, null, fields, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await openReview(path)).status).toBe(200);
  });

  it("an approval of a post that cannot be scheduled decides nothing, and reveals nothing of the workspace", async () => {
    const review = await requestApproval();
    const path = await createReviewPath(review);
    await testEnv.DB.prepare("UPDATE channels SET credential = NULL WHERE id = ?").bind(review.channel.id).run();
    const refused = await approve(path);
    const html = await refused.text();
    expect(refused.status).toBe(422);
    expect(html).toContain("nothing was decided");
    expect(html).not.toContain(review.channel.id);
    expect(await getPost(review.owner.key, review.waitingPost.id)).toMatchObject({ status: "awaiting_approval" });
  });

  it("one network address can try sixty links in ten minutes", async () => {
    const from = { "cf-connecting-ip": "203.0.113.77" };
    const statuses: number[] = [];
    for (let i = 0; i < 61; i++) {
      statuses.push((await fetchCrier(`/review/${"y".repeat(43)}`, { headers: from })).status);
    }
    expect(new Set(statuses.slice(0, 60))).toEqual(new Set([410]));
    expect(statuses.at(-1)).toBe(429);
  });
});
