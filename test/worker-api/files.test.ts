import { createExecutionContext } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { app } from "../../src/http/app.ts";
import { breakingDatabase } from "../support/breaking-db.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { call, signUp, unique, upload, uploadImage } from "../support/world.ts";

const MEDIA = "http://media.crier.test";
const fetchFile = (url: string, init?: RequestInit) => exports.default.fetch(new Request(url, init));
const withRange = (url: string, range: string, headers: Record<string, string> = {}) =>
  fetchFile(url, { headers: { range, ...headers } });
const readText = async (response: Response) => new TextDecoder().decode(await response.arrayBuffer());

/** Uploads a few characters as an image. `contentType` is the type that the bucket stores with them. */
async function uploadText(content: string, contentType = "image/png") {
  const owner = await signUp();
  const { id } = await upload(owner, new Uint8Array(new TextEncoder().encode(content)), "image/png");
  const key = `m/${owner.workspace}/${id}`;
  if (contentType !== "image/png") await testEnv.MEDIA?.put(key, content, { httpMetadata: { contentType } });
  return { url: `${MEDIA}/${key}`, path: `/${key}`, owner, id };
}

describe("an upload to the address of a removed file", () => {
  it.each([
    ["deleted", ({ owner, id }) => call("DELETE", `/v1/media/${id}`, { token: owner.key })],
    ["erased with its account", ({ owner }) => call("DELETE", "/v1/auth/me", { token: owner.session })],
  ] satisfies [string, (file: Awaited<ReturnType<typeof uploadText>>) => Promise<{ status: number }>][])(
    "a later upload is not served if the file was %s",
    async (_, remove) => {
      const file = await uploadText("before");
      expect((await fetchFile(file.url)).status).toBe(200);
      expect((await remove(file)).status).toBe(204);
      await eventually(async () => expect((await fetchFile(file.url)).status).toBe(404));
      await testEnv.MEDIA?.put(file.path.slice(1), "after", { httpMetadata: { contentType: "image/png" } });
      for (const method of ["GET", "HEAD"]) expect((await fetchFile(file.url, { method })).status).toBe(404);
    },
  );
});

describe("the public address of a file", () => {
  it("a public address works while the database is unavailable, because networks fetch files of posts that are being published", async () => {
    const { url } = await uploadText("shown");
    const { db } = breakingDatabase(testEnv.DB, { call: 1, committed: false, how: "away" });
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => logged.mockRestore());
    const response = await app.fetch(new Request(url), { ...testEnv, DB: db }, createExecutionContext());
    expect([response.status, await readText(response)]).toEqual([200, "shown"]);
    expect(logged.mock.lastCall?.[0]).toContain("file_unchecked");
  });

  it("a file's public address is in the library, and returns the file as it was uploaded", async () => {
    const account = await signUp();
    const image = await uploadImage(account);
    const { body } = await call<{ public_url: string }>("GET", `/v1/media/${image.id}`, { token: account.key });
    const response = await fetchFile(body.public_url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/png",
      "content-length": String(image.bytes),
      "accept-ranges": "bytes",
      "cache-control": "no-cache, no-transform",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "cross-origin",
      etag: expect.stringMatching(/^"[^"]+"$/),
    });
    expect(response.headers.has("set-cookie")).toBe(false);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await response.arrayBuffer()));
    expect([...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")).toBe(image.sha256);
  });

  it("HEAD is answered with the same headers and no body, for any range", async () => {
    const { url } = await uploadText("0123456789");
    const get = await fetchFile(url);
    await get.arrayBuffer();
    for (const range of ["", "bytes=0-3"]) {
      const head = await fetchFile(url, { method: "HEAD", headers: { range } });
      expect(head.status).toBe(200);
      const without = (response: Response) =>
        Object.fromEntries([...response.headers].filter(([name]) => name !== "x-request-id" && name !== "date"));
      expect(without(head)).toEqual(without(get));
      expect(await readText(head)).toBe("");
    }
  });

  it.each([
    ["bytes=0-3", "0123", "bytes 0-3/10"],
    ["bytes=4-", "456789", "bytes 4-9/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=-99", "0123456789", "bytes 0-9/10"],
    ["bytes=8-99", "89", "bytes 8-9/10"],
    ["bytes=9-9", "9", "bytes 9-9/10"],
    ["Bytes= 0-0", "0", "bytes 0-0/10"],
  ])("the range %s is answered with exactly these bytes", async (range, expected, contentRange) => {
    const { url } = await uploadText("0123456789");
    const response = await withRange(url, range);
    expect(response.status).toBe(206);
    expect(response.headers.get("content-range")).toBe(contentRange);
    expect(response.headers.get("content-length")).toBe(String(expected.length));
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(await readText(response)).toBe(expected);
  });

  it.each(["bytes=10-", "bytes=10-12", "bytes=-0", "bytes=99999999999999999999-"])(
    "a range %s beyond the end is refused with the size of the file",
    async (range) => {
      const { url } = await uploadText("0123456789");
      const response = await withRange(url, range);
      expect(response.status).toBe(416);
      expect(response.headers.get("content-range")).toBe("bytes */10");
      expect(await readText(response)).toBe("");
    },
  );

  it.each(["bytes=3-1", "bytes=-", "bytes=0-1,4-5", "bytes=a-b", "bytes 0-3", "pages=1-2", ""])(
    "an unreadable or multiple range %j is answered with the whole file",
    async (range) => {
      const { url } = await uploadText("0123456789");
      const response = await withRange(url, range);
      expect(response.status).toBe(200);
      expect(response.headers.has("content-range")).toBe(false);
      expect(await readText(response)).toBe("0123456789");
    },
  );

  it("304 is answered only to a client that has the file", async () => {
    const { url } = await uploadText("0123456789");
    const etag = (await fetchFile(url, { method: "HEAD" })).headers.get("etag") ?? "";
    for (const knownEtag of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const response = await fetchFile(url, { headers: { "if-none-match": knownEtag } });
      expect(response.status, knownEtag).toBe(304);
      expect(response.headers.get("etag")).toBe(etag);
      expect(await readText(response)).toBe("");
    }
    for (const otherEtag of ['"x"', etag.slice(0, -2), ""]) {
      const response = await fetchFile(url, { headers: { "if-none-match": otherEtag } });
      expect(response.status, otherEtag).toBe(200);
      await response.arrayBuffer();
    }
  });

  it("a range is continued only if the file is still the same", async () => {
    const { url } = await uploadText("0123456789");
    const etag = (await fetchFile(url, { method: "HEAD" })).headers.get("etag") ?? "";
    expect((await withRange(url, "bytes=4-", { "if-range": etag })).status).toBe(206);
    for (const otherEtag of ['"x"', `W/${etag}`, "Sat, 21 Nov 2026 00:00:00 GMT"]) {
      const response = await withRange(url, "bytes=4-", { "if-range": otherEtag });
      expect(response.status, otherEtag).toBe(200);
      expect(await readText(response)).toBe("0123456789");
    }
  });

  it("404 is answered once the file is deleted", async () => {
    const { url, id, owner } = await uploadText("0123456789");
    expect((await call("DELETE", `/v1/media/${id}`, { token: owner.key })).status).toBe(204);
    const response = await fetchFile(url);
    expect(response.status).toBe(404);
    expect(response.headers.get("cache-control")).toBe("no-store");
    await response.arrayBuffer();
  });
});

describe("the type of a served file", () => {
  const hostile = ["<script>alert(1)</script>", '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'];

  it.each(hostile)("%s under an image type is served as an image in a sandbox", async (content) => {
    const { url } = await uploadText(content);
    const response = await fetchFile(url);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/png",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
    });
    await response.arrayBuffer();
  });

  it.each(["text/html", "image/svg+xml", "text/html; charset=utf-8", "IMAGE/PNG", ""])(
    "a file of the stored type %j, which cannot be uploaded, is only offered as a download",
    async (contentType) => {
      const { url } = await uploadText("<script>alert(1)</script>", contentType);
      for (const method of ["GET", "HEAD"]) {
        const response = await fetchFile(url, { method });
        expect(Object.fromEntries(response.headers)).toMatchObject({
          "content-type": "application/octet-stream",
          "content-disposition": "attachment",
          "x-content-type-options": "nosniff",
        });
        await response.arrayBuffer();
      }
    },
  );
});

describe("the host of the files", () => {
  it("the host of the files serves only files", async () => {
    const { path, owner } = await uploadText("0123456789");
    const secret = unique("secret");
    await testEnv.MEDIA?.put(secret, "x");
    const paths = [
      "/",
      "/healthz",
      "/openapi.json",
      "/auth",
      "/v1/platforms",
      "/v1/posts",
      `/${secret}`,
      "/m",
      `/m/${owner.workspace}`,
      `/m/${owner.workspace}/`,
      `${path}/`,
      `${path}x`,
      `/${path}`,
      path.toUpperCase(),
      path.replace("/m/", "/%6d/"),
      path.replace("/m/", "/n/"),
      `/m/${owner.workspace}/${owner.workspace}`,
      "/m/ws_x/med_y",
    ];
    for (const otherPath of paths) {
      const response = await fetchFile(`${MEDIA}${otherPath}`, { headers: { authorization: `Bearer ${owner.key}` } });
      expect(response.status, otherPath).toBe(404);
      expect(response.headers.get("content-security-policy"), otherPath).toBe("default-src 'none'; sandbox");
      await response.arrayBuffer();
    }
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      expect((await fetchFile(`${MEDIA}${path}`, { method })).status, method).toBe(404);
    }
    expect(await readText(await fetchFile(`${MEDIA}${path}?x=1`))).toBe("0123456789");
  });

  it("the host of the API serves no files", async () => {
    const { path } = await uploadText("0123456789");
    expect((await call("GET", path)).status).toBe(404);
  });

  it.each([
    ["http://crier.test", ""],
    ["http://crier.test/files/", "/files"],
  ])("the host of the files may be the API's own: %s", async (mediaUrl, prefix) => {
    const { path } = await uploadText("0123456789");
    const env = { ...testEnv, MEDIA_URL: mediaUrl };
    const ask = (requestPath: string, method = "GET") =>
      app.fetch(new Request(`http://crier.test${requestPath}`, { method }), env, createExecutionContext());
    expect(await readText(await ask(`${prefix}${path}`))).toBe("0123456789");
    expect((await ask("/healthz")).status).toBe(200);
    expect((await ask(`${prefix}${path}`, "POST")).status).toBe(404);
    expect((await ask(`${prefix}/m/x/y`)).status).toBe(404);
    if (prefix !== "") expect((await ask(path)).status).toBe(404);
  });
});
