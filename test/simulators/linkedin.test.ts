// LinkedIn's simulator rejects calls in the network's words, and silently truncates the same texts.
import { describe, expect, it } from "vitest";
import { makePng } from "../../scripts/local/png.ts";
import { listPages, memberUrn, pageUrn } from "../../simulators/linkedin/directory.ts";
import { ledger, toUrl, useSimulators } from "./support/driver.ts";

useSimulators();

const VERSIONED = { "linkedin-version": "202609", "x-restli-protocol-version": "2.0.0" };
interface Answer {
  status: number;
  headers: Headers;
  body: { code?: string; message?: string; value?: { uploadUrl: string; image: string }; [key: string]: unknown };
}
async function call(account: string, method: string, path: string, body?: object, headers = {}): Promise<Answer> {
  const answer = await fetch(toUrl(`/linkedin${path}`), {
    method,
    headers: { authorization: `Bearer access-for-${account}`, ...VERSIONED, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === "" ? {} : JSON.parse(text) };
}
const buildPost = (author: string, fields: object = {}) => ({
  author,
  commentary: "x",
  visibility: "PUBLIC",
  distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
  lifecycleState: "PUBLISHED",
  isReshareDisabledByAuthor: false,
  ...fields,
});
const createPost = (account: string, fields: object = {}, author = pageUrn(account)) =>
  call(account, "POST", "/rest/posts", buildPost(author, fields));

describe("posts on LinkedIn's simulator", () => {
  it("are answered with only the id, in a header", async () => {
    const { status, headers, body } = await createPost("header");
    expect([status, body]).toEqual([201, {}]);
    expect(headers.get("x-restli-id")).toMatch(/^urn:li:share:\d{19}$/);
    expect(await ledger("header-page")).toMatchObject([{ id: headers.get("x-restli-id"), text: "x" }]);
  });

  it("are truncated at an unescaped reserved character", async () => {
    await createPost("cut", { commentary: "before (after)" });
    await createPost("cut", { commentary: "escaped \\(kept\\) #tag" });
    await createPost("cut", { commentary: "a # is no hashtag" });
    expect((await ledger("cut-page")).map(({ text }) => text)).toEqual(["before ", "escaped (kept) #tag", "a "]);
  });

  it("are rejected as exact repetitions with the post's id, even after it was deleted", async () => {
    const first = (await createPost("twice")).headers.get("x-restli-id") ?? "";
    const refusal = { status: 422, body: { message: `Content is a duplicate of ${first}`, code: "DUPLICATE_POST" } };
    expect(await createPost("twice")).toMatchObject(refusal);
    expect((await call("twice", "DELETE", `/rest/posts/${encodeURIComponent(first)}`)).status).toBe(204);
    expect(await createPost("twice")).toMatchObject(refusal);
    expect((await call("twice", "GET", `/rest/posts/${encodeURIComponent(first)}`)).status).toBe(404);
  });

  it.each([
    [{ commentary: "가".repeat(3_001) }, 400, "FIELD_LENGTH_TOO_LONG"],
    [{ commentary: undefined }, 400, "MISSING_FIELD"],
    [{ visibility: "FRIENDS" }, 400, "INVALID_VALUE_FOR_FIELD"],
    [{ visibility: "CONNECTIONS" }, 422, "INVALID_VALUE_FOR_FIELD"],
    [{ lifecycleState: "DRAFT" }, 400, "INVALID_VALUE_FOR_FIELD"],
    [{ distribution: undefined }, 400, "MISSING_FIELD"],
    [{ surprise: 1 }, 400, "UNPERMITTED_FIELDS"],
    [{ commentary: "" }, 422, "MISSING_FIELD"],
    [{ content: { media: { id: "urn:li:image:nobodys" } } }, 400, "INVALID_VALUE_FOR_FIELD"],
    [{ content: { multiImage: { images: [{ id: "urn:li:image:1" }] } } }, 400, "INVALID_VALUE_FOR_FIELD"],
    [{ content: { article: { source: "https://example.com/" } } }, 400, "MISSING_FIELD"],
    [{ content: { media: {}, article: {} } }, 400, "INVALID_VALUE_FOR_FIELD"],
  ])("are rejected with the fields %j", async (fields, status, code) => {
    expect(await createPost("limits", fields)).toMatchObject({ status, body: { code } });
    expect(await ledger("limits-page")).toEqual([]);
  });

  it("are limited by the visible text, not by the escaped text", async () => {
    expect((await createPost("shown", { commentary: "\\_".repeat(3_000) })).status).toBe(201);
  });

  it("of another author cannot be created, read or listed", async () => {
    const lab = listPages("rights")[2]?.urn ?? "";
    for (const author of [lab, pageUrn("somebody_else"), memberUrn("somebody_else")])
      expect(await createPost("rights", {}, author)).toMatchObject({ status: 403, body: { code: "ACCESS_DENIED" } });
    const mine = await createPost("rights", {}, memberUrn("rights"));
    const urn = encodeURIComponent(mine.headers.get("x-restli-id") ?? "");
    expect((await call("rights", "GET", `/rest/posts/${urn}`)).status, "a member's post may not be read").toBe(403);
    const query = `/rest/posts?q=author&author=${encodeURIComponent(memberUrn("rights"))}`;
    expect((await call("rights", "GET", query, undefined, { "x-restli-method": "FINDER" })).status).toBe(403);
  });
});

describe("headers and tokens of LinkedIn's simulator", () => {
  it.each([
    [{ "linkedin-version": "202401" }, 426, "NONEXISTENT_VERSION"],
    [{ "x-restli-protocol-version": "1.0.0" }, 400, "INVALID_HEADER"],
    [{ authorization: "Bearer nonsense" }, 401, "EXPIRED_ACCESS_TOKEN"],
  ])("are rejected if they are %j", async (headers, status, code) => {
    const answer = await call("headers", "POST", "/rest/posts", buildPost(pageUrn("headers")), headers);
    expect(answer).toMatchObject({ status, body: { code } });
  });

  it("are required for every call", async () => {
    const answer = await fetch(toUrl("/linkedin/rest/posts"), { method: "POST" });
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: "VERSION_MISSING" }]);
    const unversioned = await fetch(toUrl("/linkedin/v2/userinfo"));
    expect([unversioned.status, await unversioned.json()]).toMatchObject([401, { code: "EMPTY_ACCESS_TOKEN" }]);
  });

  it("are checked by the token endpoint, which rejects an app without its secret and an invalid code", async () => {
    const ask = async (fields: Record<string, string>) => {
      const body = new URLSearchParams({ grant_type: "authorization_code", code: "none", ...fields });
      const answer = await fetch(toUrl("/linkedin/oauth/v2/accessToken"), { method: "POST", body });
      const refusal: { error: string } = JSON.parse(await answer.text());
      return [answer.status, refusal.error];
    };
    expect(await ask({})).toEqual([401, "invalid_client"]);
    expect(await ask({ client_id: "a", client_secret: "b" })).toEqual([400, "invalid_request"]);
    const renewal = { grant_type: "refresh_token", refresh_token: "none" };
    expect(await ask({ client_id: "a", client_secret: "b", ...renewal })).toEqual([400, "invalid_grant"]);
  });
});

describe("uploads to LinkedIn's simulator", () => {
  const startUpload = (kind: "images" | "videos", request: object) =>
    call("files", "POST", `/rest/${kind}?action=initializeUpload`, { initializeUploadRequest: request });
  const owner = pageUrn("files");

  it("wait for the bytes of an image, with a token", async () => {
    const { uploadUrl = "", image = "" } = (await startUpload("images", { owner })).body.value ?? {};
    const state = async () => (await call("files", "GET", `/rest/images/${encodeURIComponent(image)}`)).body.status;
    expect(await state()).toBe("WAITING_UPLOAD");
    const body = new Uint8Array(makePng(20, 20, 1));
    expect((await fetch(uploadUrl, { method: "PUT", body })).status).toBe(401);
    const headers = { authorization: "Bearer access-for-files" };
    expect((await fetch(uploadUrl, { method: "PUT", body, headers })).status).toBe(201);
    expect(await state()).toBe("AVAILABLE");
    const content = { media: { id: image, altText: "a".repeat(4_087) } };
    expect(await createPost("files", { content })).toMatchObject({
      status: 400,
      body: { code: "FIELD_LENGTH_TOO_LONG" },
    });
  });

  it.each([
    [74_999, 400],
    [500_000_001, 400],
    [75_000, 200],
  ])("start a video of %i bytes with the status %i", async (fileSizeBytes, status) => {
    expect((await startUpload("videos", { owner, fileSizeBytes })).status).toBe(status);
  });

  it("finish a video only with all its chunks in order, and with its own token", async () => {
    const { body } = await startUpload("videos", { owner, fileSizeBytes: 5_000_000 });
    const { video, uploadToken, uploadInstructions } = Object(body.value);
    expect(uploadInstructions).toMatchObject([
      { firstByte: 0, lastByte: 4_194_303 },
      { firstByte: 4_194_304, lastByte: 4_999_999 },
    ]);
    const putChunk = async (index: number, bytes: number) => {
      const answer = await fetch(uploadInstructions[index].uploadUrl, { method: "PUT", body: new Uint8Array(bytes) });
      return answer.headers.get("etag");
    };
    const finishUpload = async (uploadedPartIds: unknown[], token = uploadToken) => {
      const finalizeUploadRequest = { video, uploadToken: token, uploadedPartIds };
      return (await call("files", "POST", "/rest/videos?action=finalizeUpload", { finalizeUploadRequest })).status;
    };
    expect(await putChunk(1, 10), "another length").toBeNull();
    const last = await putChunk(1, 805_696);
    expect(await finishUpload([last])).toBe(400);
    const first = await putChunk(0, 4_194_304);
    expect(await finishUpload([last, first])).toBe(400);
    expect(await finishUpload([first, last], "another")).toBe(400);
    expect(await finishUpload([first, last])).toBe(200);
  });

  it("are rejected for somebody else's page", async () => {
    expect((await startUpload("images", { owner: pageUrn("another") })).status).toBe(403);
  });
});
