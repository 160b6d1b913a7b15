// The addresses of the dashboard: a signed-in person gets its page, and other visitors are sent to sign in.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { fetchCrier } from "../support/oauth.ts";
import { signUp } from "../support/world.ts";

const PAGES = [
  "/compose?at=2026-12-01T09:30",
  "/posts",
  "/posts/post_01jd0000000000000000000000",
  "/channels",
  "/slots",
  "/approvals",
  "/settings/members",
];

const get = (path: string, session: string | null, accept = "text/html") =>
  fetchCrier(path, {
    headers: { accept, ...(session === null ? {} : { cookie: `session=${session}` }) },
    redirect: "manual",
  });

describe("the dashboard", () => {
  it("the dashboard is one page at each of its addresses and is never cached", async () => {
    const { session } = await signUp();
    for (const path of [...PAGES, "/"]) {
      const answer = await get(path, session);
      expect({ path, status: answer.status, cache: answer.headers.get("cache-control") }).toEqual({
        path,
        status: 200,
        cache: "no-cache",
      });
      expect(await answer.text()).toContain('<div id="root">');
    }
  });

  it("the dashboard runs only its own files, and can reach the bucket and the files of posts", async () => {
    const { session } = await signUp();
    const answer = await get("/compose", session);
    const policy = answer.headers.get("content-security-policy") ?? "";
    await answer.text();
    for (const directive of [
      "default-src 'none'",
      "script-src 'self';",
      "style-src 'self';",
      "connect-src 'self' http://crier.test;",
      "img-src 'self' blob: http://media.crier.test;",
      "frame-ancestors 'none'",
    ])
      expect(policy).toContain(directive);
    expect(policy).not.toContain("unsafe");
  });

  it("a signed-out visitor is sent to the sign-in page and back", async () => {
    for (const path of PAGES) {
      const answer = await get(path, null);
      expect(answer.status).toBe(302);
      expect(answer.headers.get("location")).toBe(`/auth?continue=${encodeURIComponent(path)}`);
    }
  });

  it("the address / shows the front page to programs and to signed-out visitors", async () => {
    const { session } = await signUp();
    for (const answer of [await get("/", null), await get("/", session, "*/*")]) {
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain("/openapi.json");
    }
  });

  it("unknown addresses are answered with 404", async () => {
    const { session } = await signUp();
    for (const path of ["/compose/more", "/post", "/assets/none.js", "/index.html"]) {
      const answer = await get(path, session);
      expect({ path, status: answer.status }).toEqual({ path, status: 404 });
      await answer.text();
    }
  });

  it("an unknown address shows a person the way back, and answers a program as usual", async () => {
    for (const path of ["/compose/more", "/nothing", "/assets/none.js"]) {
      const answer = await get(path, null);
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect({ path, status: answer.status, text: await answer.text() }).toEqual({
        path,
        status: 404,
        text: expect.stringContaining('<a href="/">Go to the start page</a>'),
      });
      const plain = await get(path, null, "*/*");
      expect({ path, status: plain.status, ...(await plain.json<object>()) }).toMatchObject({
        status: 404,
        error: "not_found",
      });
    }
    expect(await (await get("/v1/nothing", null)).json()).toMatchObject({ error: "not_found" });
  });

  it("a page asked for at another host redirects to the host of the cookies and files", async () => {
    const get = (path: string, accept: string) =>
      exports.default.fetch(new Request(`http://localhost:8787${path}`, { redirect: "manual", headers: { accept } }));
    for (const path of ["/posts?q=a", "/", "/auth", "/auth/sign-up?continue=%2Fposts", "/invitation?token=a"]) {
      const answer = await get(path, "text/html");
      expect({ path, status: answer.status, to: answer.headers.get("location") }).toEqual({
        path,
        status: 302,
        to: `http://crier.test${path}`,
      });
    }
    expect((await get("/v1/platforms", "application/json")).status).toBe(200);
  });
});
