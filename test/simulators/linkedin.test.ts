// LinkedIn refuses in its own words, and takes what it silently cuts off.
import { describe, expect, it } from "vitest";
import { makePng } from "../../scripts/local/png.ts";
import { listPages, memberUrn, pageUrn } from "../../simulators/linkedin/directory.ts";
import { address, ledger, useSimulators } from "./support/driver.ts";

useSimulators();

const VERSIONED = { "linkedin-version": "202609", "x-restli-protocol-version": "2.0.0" };
interface Answer {
  status: number;
  headers: Headers;
  body: { code?: string; message?: string; value?: { uploadUrl: string; image: string }; [key: string]: unknown };
}
async function call(account: string, method: string, path: string, body?: object, headers = {}): Promise<Answer> {
  const answer = await fetch(address(`/linkedin${path}`), {
    method,
    headers: { authorization: `Bearer access-for-${account}`, ...VERSIONED, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === "" ? {} : JSON.parse(text) };
}
const postBy = (author: string, more: object = {}) => ({
  author,
  commentary: "x",
  visibility: "PUBLIC",
  distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
  lifecycleState: "PUBLISHED",
  isReshareDisabledByAuthor: false,
  ...more,
});
const create = (account: string, more: object = {}, author = pageUrn(account)) =>
  call(account, "POST", "/rest/posts", postBy(author, more));

describe("linkedin, posts", () => {
  it("answers with nothing but the id, in a header", async () => {
    const { status, headers, body } = await create("header");
    expect([status, body]).toEqual([201, {}]);
    expect(headers.get("x-restli-id")).toMatch(/^urn:li:share:\d{19}$/);
    expect(await ledger("header-page")).toMatchObject([{ id: headers.get("x-restli-id"), text: "x" }]);
  });

  it("takes an unescaped reserved character, and drops what follows", async () => {
    await create("cut", { commentary: "before (after)" });
    await create("cut", { commentary: "escaped \\(kept\\) #tag" });
    await create("cut", { commentary: "a # is no hashtag" });
    expect((await ledger("cut-page")).map(({ text }) => text)).toEqual(["before ", "escaped (kept) #tag", "a "]);
  });

  it("refuses an exact repeat and names the post, even a deleted one", async () => {
    const first = (await create("twice")).headers.get("x-restli-id") ?? "";
    const refusal = { status: 422, body: { message: `Content is a duplicate of ${first}`, code: "DUPLICATE_POST" } };
    expect(await create("twice")).toMatchObject(refusal);
    expect((await call("twice", "DELETE", `/rest/posts/${encodeURIComponent(first)}`)).status).toBe(204);
    expect(await create("twice")).toMatchObject(refusal);
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
  ])("refuses %j", async (more, status, code) => {
    expect(await create("limits", more)).toMatchObject({ status, body: { code } });
    expect(await ledger("limits-page")).toEqual([]);
  });

  it("counts what is shown, not what is sent", async () => {
    expect((await create("shown", { commentary: "\\_".repeat(3_000) })).status).toBe(201);
  });

  it("of another author are not created, read or listed", async () => {
    const lab = listPages("rights")[2]?.urn ?? "";
    for (const author of [lab, pageUrn("somebody_else"), memberUrn("somebody_else")])
      expect(await create("rights", {}, author)).toMatchObject({ status: 403, body: { code: "ACCESS_DENIED" } });
    const mine = await create("rights", {}, memberUrn("rights"));
    const urn = encodeURIComponent(mine.headers.get("x-restli-id") ?? "");
    expect((await call("rights", "GET", `/rest/posts/${urn}`)).status, "a member's post may not be read").toBe(403);
    const query = `/rest/posts?q=author&author=${encodeURIComponent(memberUrn("rights"))}`;
    expect((await call("rights", "GET", query, undefined, { "x-restli-method": "FINDER" })).status).toBe(403);
  });
});

describe("linkedin, headers and tokens", () => {
  it.each([
    [{ "linkedin-version": "202401" }, 426, "NONEXISTENT_VERSION"],
    [{ "x-restli-protocol-version": "1.0.0" }, 400, "INVALID_HEADER"],
    [{ authorization: "Bearer nonsense" }, 401, "EXPIRED_ACCESS_TOKEN"],
  ])("%j is refused", async (headers, status, code) => {
    const answer = await call("headers", "POST", "/rest/posts", postBy(pageUrn("headers")), headers);
    expect(answer).toMatchObject({ status, body: { code } });
  });

  it("without a version or a token nothing works", async () => {
    const answer = await fetch(address("/linkedin/rest/posts"), { method: "POST" });
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: "VERSION_MISSING" }]);
    const unversioned = await fetch(address("/linkedin/v2/userinfo"));
    expect([unversioned.status, await unversioned.json()]).toMatchObject([401, { code: "EMPTY_ACCESS_TOKEN" }]);
  });

  it("the token endpoint refuses an app without its secret, and a code that is none", async () => {
    const ask = async (fields: Record<string, string>) => {
      const body = new URLSearchParams({ grant_type: "authorization_code", code: "none", ...fields });
      const answer = await fetch(address("/linkedin/oauth/v2/accessToken"), { method: "POST", body });
      const refusal: { error: string } = JSON.parse(await answer.text());
      return [answer.status, refusal.error];
    };
    expect(await ask({})).toEqual([401, "invalid_client"]);
    expect(await ask({ client_id: "a", client_secret: "b" })).toEqual([400, "invalid_request"]);
    const renewal = { grant_type: "refresh_token", refresh_token: "none" };
    expect(await ask({ client_id: "a", client_secret: "b", ...renewal })).toEqual([400, "invalid_grant"]);
  });
});

describe("linkedin, uploads", () => {
  const begin = (kind: "images" | "videos", request: object) =>
    call("files", "POST", `/rest/${kind}?action=initializeUpload`, { initializeUploadRequest: request });
  const owner = pageUrn("files");

  it("an image waits for its bytes, and for a token with them", async () => {
    const { uploadUrl = "", image = "" } = (await begin("images", { owner })).body.value ?? {};
    const state = async () => (await call("files", "GET", `/rest/images/${encodeURIComponent(image)}`)).body.status;
    expect(await state()).toBe("WAITING_UPLOAD");
    const body = new Uint8Array(makePng(20, 20, 1));
    expect((await fetch(uploadUrl, { method: "PUT", body })).status).toBe(401);
    const headers = { authorization: "Bearer access-for-files" };
    expect((await fetch(uploadUrl, { method: "PUT", body, headers })).status).toBe(201);
    expect(await state()).toBe("AVAILABLE");
    const content = { media: { id: image, altText: "a".repeat(4_087) } };
    expect(await create("files", { content })).toMatchObject({ status: 400, body: { code: "FIELD_LENGTH_TOO_LONG" } });
  });

  it.each([
    [74_999, 400],
    [500_000_001, 400],
    [75_000, 200],
  ])("a video of %i bytes is begun with %i", async (fileSizeBytes, status) => {
    expect((await begin("videos", { owner, fileSizeBytes })).status).toBe(status);
  });

  it("a video is closed only with all its parts, in order, and its own token", async () => {
    const { body } = await begin("videos", { owner, fileSizeBytes: 5_000_000 });
    const { video, uploadToken, uploadInstructions } = Object(body.value);
    expect(uploadInstructions).toMatchObject([
      { firstByte: 0, lastByte: 4_194_303 },
      { firstByte: 4_194_304, lastByte: 4_999_999 },
    ]);
    const put = async (part: number, bytes: number) => {
      const answer = await fetch(uploadInstructions[part].uploadUrl, { method: "PUT", body: new Uint8Array(bytes) });
      return answer.headers.get("etag");
    };
    const close = async (uploadedPartIds: unknown[], token = uploadToken) => {
      const finalizeUploadRequest = { video, uploadToken: token, uploadedPartIds };
      return (await call("files", "POST", "/rest/videos?action=finalizeUpload", { finalizeUploadRequest })).status;
    };
    expect(await put(1, 10), "another length").toBeNull();
    const last = await put(1, 805_696);
    expect(await close([last])).toBe(400);
    const first = await put(0, 4_194_304);
    expect(await close([last, first])).toBe(400);
    expect(await close([first, last], "another")).toBe(400);
    expect(await close([first, last])).toBe(200);
  });

  it("for somebody else's page is refused", async () => {
    expect((await begin("images", { owner: pageUrn("another") })).status).toBe(403);
  });
});
