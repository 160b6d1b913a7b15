// YouTube takes videos over resumable sessions, and refuses what the network refuses, in its words.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { address, call, ledger, useSimulators } from "./support/driver.ts";

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
  return fetch(address(path), {
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
/** The path of a new session, here. */
async function session(account: string): Promise<string> {
  const { pathname, search } = new URL((await insert(account)).headers.get("location") ?? "");
  return address(`/youtube${pathname}${search}`);
}
const put = (session: string, range: string, body: Uint8Array<ArrayBuffer> = new Uint8Array(0), headers = {}) =>
  fetch(session, { method: "PUT", headers: { "content-range": range, ...headers }, body });
const TOTAL = FILE.byteLength;
const first = FILE.subarray(0, UNIT);
const rest = FILE.subarray(UNIT);

describe("youtube, sessions", () => {
  it("make a video with the last byte, and always say how far they are", async () => {
    const at = await session("whole");
    const empty = await put(at, `bytes */${TOTAL}`);
    expect([empty.status, empty.headers.get("range")]).toEqual([308, null]);
    const half = await put(at, `bytes 0-${UNIT - 1}/${TOTAL}`, first);
    expect([half.status, half.headers.get("range")]).toEqual([308, `bytes=0-${UNIT - 1}`]);
    expect(await ledger("@whole")).toEqual([]);
    const done = await put(at, `bytes ${UNIT}-${TOTAL - 1}/${TOTAL}`, rest);
    expect(done.status).toBe(201);
    const video: { id: string } = JSON.parse(await done.text());
    const again = await put(at, `bytes */${TOTAL}`);
    expect([again.status, JSON.parse(await again.text()).id]).toEqual([200, video.id]);
    const sha256 = createHash("sha256").update(FILE).digest("hex");
    expect(await ledger("@whole")).toMatchObject([{ id: video.id, text: "d", media: [{ bytes: TOTAL, sha256 }] }]);
  });

  it("take what they have again, and no gap", async () => {
    const at = await session("overlap");
    const gap = await put(at, `bytes ${UNIT}-${TOTAL - 1}/${TOTAL}`, rest);
    expect([gap.status, await gap.text()]).toEqual([
      400,
      expect.stringContaining("exceeds already uploaded size of 0"),
    ]);
    for (let i = 0; i < 2; i++) expect((await put(at, `bytes 0-${UNIT - 1}/${TOTAL}`, first)).status).toBe(308);
    expect((await put(at, `bytes 0-${TOTAL - 1}/${TOTAL}`, FILE)).status).toBe(201);
    expect(await ledger("@overlap")).toHaveLength(1);
  });

  it("refuse parts of any size, another total, and ranges that are none", async () => {
    const at = await session("odd");
    for (const [range, body] of [
      [`bytes 0-99/${TOTAL}`, FILE.subarray(0, 100)],
      [`bytes 0-${TOTAL}/${TOTAL + 1}`, new Uint8Array(TOTAL + 1)],
      [`bytes 0-${UNIT - 1}/${TOTAL}`, FILE.subarray(0, 100)],
      ["nonsense", first],
      [`bytes 5-1/${TOTAL}`, first],
    ] as const) {
      expect((await put(at, range, body)).status, range).toBe(400);
    }
    expect((await put(at, `bytes */${TOTAL}`)).headers.get("range")).toBeNull();
  });

  it("are known by their address alone, but a token that comes along must be good", async () => {
    const at = await session("address");
    expect((await put(at, `bytes */${TOTAL}`, undefined, { authorization: "Bearer nonsense" })).status).toBe(401);
    expect((await put(`${at}x`, `bytes */${TOTAL}`)).status).toBe(404);
    expect((await put(at, `bytes */${TOTAL}`)).status).toBe(308);
  });

  it("keep whole units of a part that breaks off", async () => {
    const at = await session("slow_keeper");
    const file = new Uint8Array(4 * UNIT);
    const created = await insert("slow_keeper", META, { "x-upload-content-length": String(5 * UNIT) });
    const { pathname, search } = new URL(created.headers.get("location") ?? at);
    const half = await put(address(`/youtube${pathname}${search}`), `bytes 0-${4 * UNIT - 1}/${5 * UNIT}`, file);
    expect([half.status, half.headers.get("range")]).toEqual([308, `bytes=0-${2 * UNIT - 1}`]);
  });
});

describe("youtube, inserts", () => {
  it.each([
    ["no title", { snippet: { description: "x" } }, 400, "invalidTitle"],
    ["a title too long", { snippet: { title: "x".repeat(101) } }, 400, "invalidTitle"],
    ["a title with brackets", { snippet: { title: "<b>" } }, 400, "invalidTitle"],
    ["a description too long", { snippet: { title: "x", description: "ü".repeat(2_501) } }, 400, "invalidDescription"],
    ["a description with brackets", { snippet: { title: "x", description: "a > b" } }, 400, "invalidDescription"],
    ["tags too long", { snippet: { title: "x", tags: ["a b", "c".repeat(495)] } }, 400, "invalidTags"],
    ["no such category", { snippet: { title: "x", categoryId: "0" } }, 400, "invalidCategoryId"],
    ["no such privacy", { ...META, status: { privacyStatus: "secret" } }, 400, "invalidVideoMetadata"],
    [
      "a time without privacy",
      { ...META, status: { privacyStatus: "public", publishAt: "2030-01-01T00:00:00Z" } },
      400,
      "invalidPublishAt",
    ],
    ["a part not asked for", { ...META, paidProductPlacementDetails: {} }, 400, "unexpectedPart"],
  ])("with %s are refused", async (_, body, status, reason) => {
    const answer = await insert("inserts", body);
    expect(answer.status).toBe(status);
    expect((await answer.json()) as Refusal).toMatchObject({ error: { code: status, errors: [{ reason }] } });
  });

  it.each([
    ["an image", "good", { "x-upload-content-type": "image/png" }, 400, "badContent"],
    ["no length", "good", { "x-upload-content-length": "" }, 400, "mediaBodyRequired"],
    ["too much", "good", { "x-upload-content-length": "256000000001" }, 413, "uploadTooLarge"],
    ["a strange token", "good", { authorization: "Bearer x" }, 401, "authError"],
    ["a token that may only read", "readonly_x", {}, 403, "insufficientPermissions"],
    ["no channel", "nochannel_x", {}, 401, "youtubeSignupRequired"],
    ["a suspended account", "suspended_x", {}, 403, "authenticatedUserAccountSuspended"],
  ])("of %s are refused", async (_, account, headers, status, reason) => {
    const answer = await insert(account, META, headers);
    expect(answer.status).toBe(status);
    expect((await answer.json()) as Refusal).toMatchObject({ error: { errors: [{ reason }] } });
  });
});

describe("youtube, reading", () => {
  async function published(account: string, body: object = META): Promise<string> {
    const { pathname, search } = new URL((await insert(account, body)).headers.get("location") ?? "");
    const done = await put(address(`/youtube${pathname}${search}`), `bytes 0-${TOTAL - 1}/${TOTAL}`, FILE);
    return JSON.parse(await done.text()).id;
  }
  const list = (account: string, query: string) =>
    call<{ items: Record<string, Record<string, string>>[] }>(
      `/youtube/youtube/v3/videos?${query}`,
      undefined,
      bearer(account),
    );

  it("a video is processed by and by, and has the same figures every time", async () => {
    const id = await published("reader");
    const states = [];
    for (let i = 0; i < 3; i++)
      states.push((await list("reader", `part=status&id=${id}`)).body.items[0]?.status?.uploadStatus);
    expect(states).toEqual(["uploaded", "processed", "processed"]);
    const figures = () => list("reader", `part=statistics&id=${id}`);
    expect((await figures()).body.items[0]?.statistics).toMatchObject({ viewCount: expect.stringMatching(/^\d+$/) });
    expect((await figures()).body).toEqual((await figures()).body);
  });

  it("private videos are there for their owner alone", async () => {
    const id = await published("owner", { ...META, status: { privacyStatus: "private" } });
    expect((await list("owner", `part=status&id=${id}`)).body.items).toHaveLength(1);
    expect((await list("stranger", `part=status&id=${id}`)).body.items).toEqual([]);
  });

  it("calls that are incomplete are refused", async () => {
    const tooMany = Array.from({ length: 51 }, (_, i) => `v${i}`).join();
    for (const query of ["id=x", "part=status", "part=nonsense&id=x", `part=status&id=${tooMany}`])
      expect((await list("reader", query)).status, query).toBe(400);
    expect((await call("/youtube/youtube/v3/channels?part=snippet", undefined, bearer("reader"))).status).toBe(400);
    expect((await call("/youtube/youtube/v3/channels?part=snippet&mine=true")).status).toBe(401);
  });

  it("deleting takes a scope that uploading does not", async () => {
    const id = await published("uploads_only");
    const path = `/youtube/youtube/v3/videos?id=${id}`;
    expect((await call(path, undefined, bearer("uploads_only"), "DELETE")).status).toBe(403);
    expect(await ledger("@uploads_only")).toMatchObject([{ deleted: false }]);
    const other = await published("deleter");
    const others = `/youtube/youtube/v3/videos?id=${other}`;
    expect((await call(others, undefined, bearer("deleter"), "DELETE")).status).toBe(204);
    expect((await call(others, undefined, bearer("deleter"), "DELETE")).status).toBe(404);
    expect(await ledger("@deleter")).toMatchObject([{ deleted: true }]);
  });
});

describe("youtube, consent", () => {
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
  const authorize = (more: Record<string, string>) =>
    fetch(address(`/youtube/o/oauth2/v2/auth?${new URLSearchParams({ ...good, ...more })}`), { redirect: "manual" });
  const token = (form: Record<string, string>) =>
    fetch(address("/youtube/token"), { method: "POST", body: new URLSearchParams(form) });

  it.each<Record<string, string>>([
    { client_id: "" },
    { redirect_uri: "nonsense" },
    { response_type: "token" },
    { scope: "everything" },
    { code_challenge: "x", code_challenge_method: "plain" },
  ])("that is asked for wrongly (%j) is an error page", async (more) => {
    const answer = await authorize(more);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("Error 400")]);
  });

  it("gives a refresh token only where lasting access was asked for anew", async () => {
    for (const [more, lasting] of [
      [{}, true],
      [{ prompt: "" }, false],
      [{ access_type: "online" }, false],
    ] as const) {
      const code = new URL((await authorize(more)).headers.get("location") ?? "").searchParams.get("code") ?? "";
      const client = { client_id: "some-client", client_secret: "s", redirect_uri: good.redirect_uri ?? "" };
      const answer = await token({ grant_type: "authorization_code", code, ...client });
      expect("refresh_token" in JSON.parse(await answer.text())).toBe(lasting);
    }
  });

  it("is one client's: another cannot renew it", async () => {
    const form = { grant_type: "refresh_token", refresh_token: "1//bound", client_secret: "s" };
    expect((await token({ ...form, client_id: "one" })).status).toBe(200);
    expect((await token({ ...form, client_id: "two" })).status).toBe(401);
    expect((await token({ ...form, client_id: "one", client_secret: "other" })).status).toBe(401);
    expect((await token({ ...form, client_id: "one", grant_type: "password" })).status).toBe(400);
    expect((await token({ grant_type: "refresh_token", refresh_token: "1//bound" })).status).toBe(400);
  });
});
