// YouTube's simulator accepts videos through resumable sessions, and rejects calls in the network's words.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { call, ledger, toUrl, useSimulators } from "./support/driver.ts";

useSimulators();

const UNIT = 262_144;
const bearer = (account: string) => ({ authorization: `Bearer ya29.${account}` });
interface Refusal {
  error: { code: number; errors: { reason: string }[] };
}
const FILE = new Uint8Array(UNIT + 100);
FILE.set(new TextEncoder().encode("\0\0\0 ftypisom"));
const META = { snippet: { title: "t", description: "d" }, status: { privacyStatus: "public" } };

function insert(account: string, body: object = META, headers: Record<string, string> = {}, query = "") {
  const path = `/youtube/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status${query}`;
  return fetch(toUrl(path), {
    method: "POST",
    headers: {
      ...bearer(account),
      "x-upload-content-type": "video/mp4",
      "x-upload-content-length": String(FILE.byteLength),
      ...headers,
    },
    body: JSON.stringify(body),
  });
}
/** Starts a session, and returns its URL at the simulator. */
async function startSession(account: string): Promise<string> {
  const { pathname, search } = new URL((await insert(account)).headers.get("location") ?? "");
  return toUrl(`/youtube${pathname}${search}`);
}
const putBytes = (session: string, range: string, body: Uint8Array<ArrayBuffer> = new Uint8Array(0), headers = {}) =>
  fetch(session, { method: "PUT", headers: { "content-range": range, ...headers }, body });
const TOTAL = FILE.byteLength;
const firstBytes = FILE.subarray(0, UNIT);
const remaining = FILE.subarray(UNIT);

describe("upload sessions of YouTube's simulator", () => {
  it("create a video with the last byte, and always report their progress", async () => {
    const session = await startSession("whole");
    const empty = await putBytes(session, `bytes */${TOTAL}`);
    expect([empty.status, empty.headers.get("range")]).toEqual([308, null]);
    const half = await putBytes(session, `bytes 0-${UNIT - 1}/${TOTAL}`, firstBytes);
    expect([half.status, half.headers.get("range")]).toEqual([308, `bytes=0-${UNIT - 1}`]);
    expect(await ledger("@whole")).toEqual([]);
    const completed = await putBytes(session, `bytes ${UNIT}-${TOTAL - 1}/${TOTAL}`, remaining);
    expect(completed.status).toBe(201);
    const video: { id: string } = JSON.parse(await completed.text());
    const again = await putBytes(session, `bytes */${TOTAL}`);
    expect([again.status, JSON.parse(await again.text()).id]).toEqual([200, video.id]);
    const sha256 = createHash("sha256").update(FILE).digest("hex");
    expect(await ledger("@whole")).toMatchObject([{ id: video.id, text: "d", media: [{ bytes: TOTAL, sha256 }] }]);
  });

  it("accept repeated bytes, but no gap", async () => {
    const session = await startSession("overlap");
    const gap = await putBytes(session, `bytes ${UNIT}-${TOTAL - 1}/${TOTAL}`, remaining);
    expect([gap.status, await gap.text()]).toEqual([
      400,
      expect.stringContaining("exceeds already uploaded size of 0"),
    ]);
    for (let i = 0; i < 2; i++)
      expect((await putBytes(session, `bytes 0-${UNIT - 1}/${TOTAL}`, firstBytes)).status).toBe(308);
    expect((await putBytes(session, `bytes 0-${TOTAL - 1}/${TOTAL}`, FILE)).status).toBe(201);
    expect(await ledger("@overlap")).toHaveLength(1);
  });

  it("reject chunks of a wrong size, another total, and malformed ranges", async () => {
    const session = await startSession("odd");
    for (const [range, body] of [
      [`bytes 0-99/${TOTAL}`, FILE.subarray(0, 100)],
      [`bytes 0-${TOTAL}/${TOTAL + 1}`, new Uint8Array(TOTAL + 1)],
      [`bytes 0-${UNIT - 1}/${TOTAL}`, FILE.subarray(0, 100)],
      ["nonsense", firstBytes],
      [`bytes 5-1/${TOTAL}`, firstBytes],
    ] as const) {
      expect((await putBytes(session, range, body)).status, range).toBe(400);
    }
    expect((await putBytes(session, `bytes */${TOTAL}`)).headers.get("range")).toBeNull();
  });

  it("are identified by their URL alone, but a token that is sent must be valid", async () => {
    const session = await startSession("address");
    expect((await putBytes(session, `bytes */${TOTAL}`, undefined, { authorization: "Bearer nonsense" })).status).toBe(
      401,
    );
    expect((await putBytes(`${session}x`, `bytes */${TOTAL}`)).status).toBe(404);
    expect((await putBytes(session, `bytes */${TOTAL}`)).status).toBe(308);
  });

  it("keep the complete units of a chunk that breaks off", async () => {
    const session = await startSession("slow_keeper");
    const file = new Uint8Array(4 * UNIT);
    const created = await insert("slow_keeper", META, { "x-upload-content-length": String(5 * UNIT) });
    const { pathname, search } = new URL(created.headers.get("location") ?? session);
    const half = await putBytes(toUrl(`/youtube${pathname}${search}`), `bytes 0-${4 * UNIT - 1}/${5 * UNIT}`, file);
    expect([half.status, half.headers.get("range")]).toEqual([308, `bytes=0-${2 * UNIT - 1}`]);
  });
});

describe("inserting videos on YouTube's simulator", () => {
  it.each([
    ["no title", { snippet: { description: "x" } }, 400, "invalidTitle"],
    ["a title that is too long", { snippet: { title: "x".repeat(101) } }, 400, "invalidTitle"],
    ["a title with brackets", { snippet: { title: "<b>" } }, 400, "invalidTitle"],
    [
      "a description that is too long",
      { snippet: { title: "x", description: "ü".repeat(2_501) } },
      400,
      "invalidDescription",
    ],
    ["a description with brackets", { snippet: { title: "x", description: "a > b" } }, 400, "invalidDescription"],
    ["tags that are too long", { snippet: { title: "x", tags: ["a b", "c".repeat(495)] } }, 400, "invalidTags"],
    ["an unknown category", { snippet: { title: "x", categoryId: "0" } }, 400, "invalidCategoryId"],
    ["an unknown privacy", { ...META, status: { privacyStatus: "secret" } }, 400, "invalidVideoMetadata"],
    [
      "a publishing time for a public video",
      { ...META, status: { privacyStatus: "public", publishAt: "2030-01-01T00:00:00Z" } },
      400,
      "invalidPublishAt",
    ],
    ["an undeclared part", { ...META, paidProductPlacementDetails: {} }, 400, "unexpectedPart"],
  ])("is rejected because of %s", async (_, body, status, reason) => {
    const answer = await insert("inserts", body);
    expect(answer.status).toBe(status);
    expect((await answer.json()) as Refusal).toMatchObject({ error: { code: status, errors: [{ reason }] } });
  });

  it.each([
    ["an image", "good", { "x-upload-content-type": "image/png" }, 400, "badContent"],
    ["a missing length", "good", { "x-upload-content-length": "" }, 400, "mediaBodyRequired"],
    ["an oversized file", "good", { "x-upload-content-length": "256000000001" }, 413, "uploadTooLarge"],
    ["an invalid token", "good", { authorization: "Bearer x" }, 401, "authError"],
    ["a token that may only read", "readonly_x", {}, 403, "insufficientPermissions"],
    ["an account without a channel", "nochannel_x", {}, 401, "youtubeSignupRequired"],
    ["a suspended account", "suspended_x", {}, 403, "authenticatedUserAccountSuspended"],
  ])("is rejected for %s", async (_, account, headers, status, reason) => {
    const answer = await insert(account, META, headers);
    expect(answer.status).toBe(status);
    expect((await answer.json()) as Refusal).toMatchObject({ error: { errors: [{ reason }] } });
  });
});

describe("reading videos on YouTube's simulator", () => {
  async function publishVideo(account: string, body: object = META): Promise<string> {
    const { pathname, search } = new URL((await insert(account, body)).headers.get("location") ?? "");
    const completed = await putBytes(toUrl(`/youtube${pathname}${search}`), `bytes 0-${TOTAL - 1}/${TOTAL}`, FILE);
    return JSON.parse(await completed.text()).id;
  }
  const list = (account: string, query: string) =>
    call<{ items: Record<string, Record<string, string>>[] }>(
      `/youtube/youtube/v3/videos?${query}`,
      undefined,
      bearer(account),
    );

  it("shows a video that is processed after a while, with stable statistics", async () => {
    const id = await publishVideo("reader");
    const states = [];
    for (let i = 0; i < 3; i++)
      states.push((await list("reader", `part=status&id=${id}`)).body.items[0]?.status?.uploadStatus);
    expect(states).toEqual(["uploaded", "processed", "processed"]);
    const figures = () => list("reader", `part=statistics&id=${id}`);
    expect((await figures()).body.items[0]?.statistics).toMatchObject({ viewCount: expect.stringMatching(/^\d+$/) });
    expect((await figures()).body).toEqual((await figures()).body);
  });

  it("shows private videos only to their owner", async () => {
    const id = await publishVideo("owner", { ...META, status: { privacyStatus: "private" } });
    expect((await list("owner", `part=status&id=${id}`)).body.items).toHaveLength(1);
    expect((await list("stranger", `part=status&id=${id}`)).body.items).toEqual([]);
  });

  it("rejects incomplete calls", async () => {
    const tooMany = Array.from({ length: 51 }, (_, i) => `v${i}`).join();
    for (const query of ["id=x", "part=status", "part=nonsense&id=x", `part=status&id=${tooMany}`])
      expect((await list("reader", query)).status, query).toBe(400);
    expect((await call("/youtube/youtube/v3/channels?part=snippet", undefined, bearer("reader"))).status).toBe(400);
    expect((await call("/youtube/youtube/v3/channels?part=snippet&mine=true")).status).toBe(401);
  });

  it("requires a scope for deleting that uploading does not require", async () => {
    const id = await publishVideo("uploads_only");
    const path = `/youtube/youtube/v3/videos?id=${id}`;
    expect((await call(path, undefined, bearer("uploads_only"), "DELETE")).status).toBe(403);
    expect(await ledger("@uploads_only")).toMatchObject([{ deleted: false }]);
    const otherVideo = await publishVideo("deleter");
    const otherPath = `/youtube/youtube/v3/videos?id=${otherVideo}`;
    expect((await call(otherPath, undefined, bearer("deleter"), "DELETE")).status).toBe(204);
    expect((await call(otherPath, undefined, bearer("deleter"), "DELETE")).status).toBe(404);
    expect(await ledger("@deleter")).toMatchObject([{ deleted: true }]);
  });
});

describe("a consent at YouTube's simulator", () => {
  const good: Record<string, string> = {
    response_type: "code",
    client_id: "some-client",
    redirect_uri: "https://example.com/back",
    scope: "https://www.googleapis.com/auth/youtube",
    access_type: "offline",
    prompt: "consent",
    decision: "allow",
    account: "consenting",
  };
  const authorize = (fields: Record<string, string>) =>
    fetch(toUrl(`/youtube/o/oauth2/v2/auth?${new URLSearchParams({ ...good, ...fields })}`), { redirect: "manual" });
  const token = (form: Record<string, string>) =>
    fetch(toUrl("/youtube/token"), { method: "POST", body: new URLSearchParams(form) });

  it.each<Record<string, string>>([
    { client_id: "" },
    { redirect_uri: "nonsense" },
    { response_type: "token" },
    { scope: "everything" },
    { code_challenge: "x", code_challenge_method: "plain" },
  ])("leads to an error page if it is requested wrongly: %j", async (fields) => {
    const answer = await authorize(fields);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("Error 400")]);
  });

  it("gives a refresh token only if permanent access was requested again", async () => {
    for (const [fields, isPermanent] of [
      [{}, true],
      [{ prompt: "" }, false],
      [{ access_type: "online" }, false],
    ] as const) {
      const code = new URL((await authorize(fields)).headers.get("location") ?? "").searchParams.get("code") ?? "";
      const client = { client_id: "some-client", client_secret: "s", redirect_uri: good.redirect_uri ?? "" };
      const answer = await token({ grant_type: "authorization_code", code, ...client });
      expect("refresh_token" in JSON.parse(await answer.text())).toBe(isPermanent);
    }
  });

  it("belongs to one client, and another client cannot renew it", async () => {
    const form = { grant_type: "refresh_token", refresh_token: "1//bound", client_secret: "s" };
    expect((await token({ ...form, client_id: "one" })).status).toBe(200);
    expect((await token({ ...form, client_id: "two" })).status).toBe(401);
    expect((await token({ ...form, client_id: "one", client_secret: "other" })).status).toBe(401);
    expect((await token({ ...form, client_id: "one", grant_type: "password" })).status).toBe(400);
    expect((await token({ grant_type: "refresh_token", refresh_token: "1//bound" })).status).toBe(400);
  });
});
