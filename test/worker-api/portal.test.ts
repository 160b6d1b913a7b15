// The page of a portal, in a browser without scripts.
import { describe, expect, it } from "vitest";
import { open, send } from "../support/oauth.ts";
import { call, getPost } from "../support/world.ts";
import { requestApproval } from "./reviewed-post.ts";

async function setUp(fields: object = {}) {
  const setup = await requestApproval();
  const { owner, channel } = setup;
  const { body } = await call<{ id: string; url: string }>("POST", "/v1/portals", {
    token: owner.key,
    body: { name: "Northwind", channels: [channel.id], ...fields },
  });
  const { pathname } = new URL(body.url);
  const read = async () => (await open(pathname, null)).text();
  /** The hidden field with the versions of a form. */
  const versions = async () => /name="posts" value="([^"]+)"/.exec(await read())?.[1] ?? expect.fail("no form");
  return { ...setup, id: body.id, pathname, read, versions };
}

describe("the page of a portal", () => {
  it("shows the waiting posts and approves one of them without a script", async () => {
    const { pathname, read, versions, owner, waitingPost } = await setUp({
      brand: { name: "Ada <& Co.", accent: "#112233" },
    });
    const html = await read();
    expect(html).toContain("<h1>Northwind</h1>");
    expect(html).toContain("Ada &lt;&amp; Co.");
    expect(html).toContain("background: #112233; color: #ffffff");
    expect(html).toContain("Exactly &lt;this&gt; &amp; no more");
    expect(html).not.toContain("Approve all");
    const approved = await send(pathname, null, {
      posts: await versions(),
      name: "Clara",
      reason: "",
      decision: "approve",
    });
    expect(approved.status).toBe(200);
    expect(await approved.text()).toContain("1 post approved.");
    expect(await getPost(owner.key, waitingPost.id)).toMatchObject({
      status: "scheduled",
      approval: { state: "approved", by: "Clara" },
    });
    expect(await read()).toMatch(/<strong>Approved<\/strong> by Clara/);
  });

  it("approves all posts with one form", async () => {
    const { pathname, read, owner, channel, author } = await setUp();
    const again = await call("POST", "/v1/posts", {
      token: author.session,
      headers: { "x-workspace": owner.workspace },
      body: { text: "Another", channels: [channel.id] },
    });
    expect(again.status).toBe(201);
    const html = await read();
    expect(html).toContain("Approve all 2");
    const all = /name="posts" value="([^"]+ [^"]+)"/.exec(html)?.[1] ?? expect.fail("no form for all");
    const approved = await send(pathname, null, { posts: all, all: "yes", name: "Clara", decision: "approve" });
    expect(await approved.text()).toContain("2 posts approved.");
  });

  it("decides on no more posts of one form than a page shows", async () => {
    const { pathname, versions, owner, waitingPost } = await setUp();
    const version = await versions();
    const others = Array.from({ length: 50 }, () => version.replace(waitingPost.id, `post_${"0".repeat(26)}`));
    await send(pathname, null, { posts: [...others, version].join(" "), name: "Clara", decision: "approve" });
    expect(await getPost(owner.key, waitingPost.id)).toMatchObject({ status: "awaiting_approval" });
  });

  it("keeps what was typed if the form cannot be used, and decides nothing", async () => {
    const { pathname, versions, owner, waitingPost } = await setUp();
    const refused = await send(pathname, null, {
      posts: await versions(),
      name: "Clara",
      reason: " ",
      decision: "decline",
    });
    expect(refused.status).toBe(422);
    const html = await refused.text();
    expect(html).toContain('role="alert"');
    expect(html).toContain('value="Clara"');
    expect(await getPost(owner.key, waitingPost.id)).toMatchObject({ status: "awaiting_approval" });
  });

  it("refuses a form of another site", async () => {
    const { pathname, versions, owner, waitingPost } = await setUp();
    const body = new URLSearchParams({ posts: await versions(), name: "Clara", decision: "approve" });
    const answer = await send(pathname, null, Object.fromEntries(body), { "sec-fetch-site": "cross-site" });
    expect(answer.status).toBe(403);
    expect(await getPost(owner.key, waitingPost.id)).toMatchObject({ status: "awaiting_approval" });
  });

  it("is the same page for an unknown address as for a removed portal, and no cache or crawler keeps it", async () => {
    const { pathname, owner, id } = await setUp();
    const shown = await open(pathname, null);
    expect(shown.headers.get("cache-control")).toBe("no-store");
    expect(shown.headers.get("x-robots-tag")).toContain("noindex");
    expect(shown.headers.get("referrer-policy")).toBe("no-referrer");
    expect((await call("GET", `/v1${pathname}`)).headers.get("cache-control")).toBe("no-store");
    await call("DELETE", `/v1/portals/${id}`, { token: owner.key });
    const neutral = async (path: string) => {
      const answer = await open(path, null);
      expect(answer.status).toBe(410);
      return (await answer.text()).replace(/nonce="[^"]+"/g, "");
    };
    expect(await neutral(pathname)).toBe(await neutral(`/portal/${"x".repeat(43)}`));
    expect(await call("GET", `/v1${pathname}`)).toMatchObject({ status: 404, body: { error: "not_found" } });
  });
});
