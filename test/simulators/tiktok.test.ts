// The simulator of TikTok refuses the same calls as the network, with the network's messages and statuses.
import { describe, expect, it } from "vitest";
import { call, ledger, toUrl, useSimulators } from "./support/driver.ts";

useSimulators();

interface Body {
  data: { [key: string]: unknown };
  error: { code: string };
}
let count = 0;
const createName = (prefix = "sim") => `${prefix}_${++count}`;
const api = (token: string, path: string, body?: unknown) =>
  call<Body>(`/tiktok/v2/${path}`, body, { authorization: `Bearer ${token}` });
const init = (token: string, info: object = {}, source: object = {}) =>
  api(token, "post/publish/video/init/", {
    post_info: { privacy_level: "PUBLIC_TO_EVERYONE", ...info },
    source_info: { source: "FILE_UPLOAD", video_size: 1_000, chunk_size: 1_000, total_chunk_count: 1, ...source },
  });
const initPhotos = (token: string, info: object = {}, source: object = {}, fields: object = {}) =>
  api(token, "post/publish/content/init/", {
    media_type: "PHOTO",
    post_mode: "DIRECT_POST",
    post_info: { privacy_level: "PUBLIC_TO_EVERYONE", ...info },
    source_info: { source: "PULL_FROM_URL", photo_images: ["https://media.test/1"], photo_cover_index: 0, ...source },
    ...fields,
  });

async function putChunk(url: string, bytes: number, range: string, type = "video/mp4") {
  const { pathname, search } = new URL(url);
  const body = new Uint8Array(bytes);
  body.set(new TextEncoder().encode("\0\0\0 ftypisom").slice(0, bytes));
  const headers = { "content-type": type, "content-range": range };
  const response = await fetch(toUrl(`/tiktok${pathname}${search}`), { method: "PUT", headers, body });
  return { status: response.status, range: response.headers.get("content-range") };
}

describe("an upload on TikTok's simulator", () => {
  it.each([
    [{ video_size: 0 }],
    [{ video_size: 4_000_000_001, chunk_size: 10_000_000, total_chunk_count: 400 }],
    [{ video_size: 25_000_000, chunk_size: 10_000_000, total_chunk_count: 3 }],
    [{ video_size: 25_000_000, chunk_size: 4_999_999, total_chunk_count: 5 }],
    [{ video_size: 70_000_000, chunk_size: 70_000_000, total_chunk_count: 1 }],
    [{ video_size: 1_000, chunk_size: 2_000, total_chunk_count: 1 }],
    [{ source: "CARRIER_PIGEON" }],
  ])("is rejected with the parameters %j", async (source) => {
    expect(await init(`act.${createName()}`, {}, source)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_params" } },
    });
  });

  it("accepts only chunks in order and of the declared length, reports its progress, and publishes with the last chunk", async () => {
    const user = createName();
    const size = { video_size: 12_000_000, chunk_size: 5_000_000, total_chunk_count: 2 };
    const opened = await init(`act.${user}`, { title: "chunks" }, size);
    const url = String(opened.body.data.upload_url);
    const total = 12_000_000;
    expect(await putChunk(url, 7_000_000, `bytes 5000000-11999999/${total}`)).toMatchObject({ status: 416 });
    expect((await putChunk(url, 4_000_000, `bytes 0-3999999/${total}`)).status).toBe(416);
    expect((await putChunk(url, 5_000_000, `bytes 0-4999998/${total}`)).status).toBe(400);
    expect((await putChunk(url, 5_000_000, "bytes 0-4999999/1")).status).toBe(400);
    expect((await putChunk(url, 5_000_000, `bytes 0-4999999/${total}`, "image/png")).status).toBe(400);
    expect((await putChunk(url.replace(/.$/, "x"), 5_000_000, `bytes 0-4999999/${total}`)).status).toBe(403);
    expect((await putChunk(url.replace("upload_id=", "upload_id=9"), 1, "bytes 0-0/1")).status).toBe(404);
    const first = { status: 206, range: `bytes 0-4999999/${total}` };
    expect(await putChunk(url, 5_000_000, `bytes 0-4999999/${total}`)).toEqual(first);
    expect(await putChunk(url, 5_000_000, `bytes 0-4999999/${total}`)).toEqual({ ...first, status: 416 });
    expect(await ledger(user)).toEqual([]);
    const last = { status: 201, range: `bytes 0-11999999/${total}` };
    expect(await putChunk(url, 7_000_000, `bytes 5000000-11999999/${total}`)).toEqual(last);
    expect(await putChunk(url, 7_000_000, `bytes 5000000-11999999/${total}`)).toEqual({ ...last, status: 416 });
    expect(await ledger(user)).toMatchObject([{ text: "chunks", media: [{ bytes: total }] }]);
  });
});

describe("posts on TikTok's simulator", () => {
  it.each([
    [{ privacy_level: undefined }, 400, "invalid_params"],
    [{ privacy_level: "FOLLOWER_OF_CREATOR" }, 403, "privacy_level_option_mismatch"],
    [{ title: "x".repeat(2_201) }, 400, "invalid_params"],
    [{ disable_duet: "yes" }, 400, "invalid_params"],
    [{ brand_content_toggle: true, privacy_level: "SELF_ONLY" }, 400, "invalid_params"],
  ])("with a video and %j are rejected", async (info, status, code) => {
    expect(await init(`act.${createName()}`, info)).toMatchObject({ status, body: { error: { code } } });
  });

  it.each([
    [{ title: "x".repeat(91) }, {}, {}, 400, "invalid_params"],
    [{ description: "x".repeat(4_001) }, {}, {}, 400, "invalid_params"],
    [{}, { photo_images: [] }, {}, 400, "invalid_params"],
    [{}, { photo_images: Array(36).fill("https://media.test/1") }, {}, 400, "invalid_params"],
    [{}, { photo_cover_index: 1 }, {}, 400, "invalid_params"],
    [{}, { source: "FILE_UPLOAD" }, {}, 400, "invalid_params"],
    [{}, { photo_images: ["https://unverified.test/1"] }, {}, 403, "url_ownership_unverified"],
    [{}, {}, { media_type: "VIDEO" }, 400, "invalid_params"],
  ])("with photos and %j %j %j are rejected", async (info, source, fields, status, code) => {
    const answer = await initPhotos(`act.${createName()}`, info, source, fields);
    expect(answer).toMatchObject({ status, body: { error: { code } } });
  });

  it("are limited to 15 a day, and the creator info reports the limit with status 200", async () => {
    const user = createName("cap");
    const url = "https://media.test/cap.jpg";
    await fetch(toUrl(`/_sim/files?url=${encodeURIComponent(url)}`), {
      method: "PUT",
      headers: { "content-type": "image/jpeg" },
      body: new Uint8Array([0xff, 0xd8, 0xff, 0xe0]),
    });
    // Each token may start six posts a minute, so the test uses several tokens of one account.
    for (let i = 0; i < 15; i++) {
      const token = i < 5 ? `act.${user}` : `act.${user}~video.publish${i < 10 ? "" : ",video.list"}`;
      expect((await initPhotos(token, {}, { photo_images: [url] })).body.error.code).toBe("ok");
    }
    const code = "spam_risk_too_many_posts";
    expect(await initPhotos(`act.${user}`)).toMatchObject({ status: 403, body: { error: { code } } });
    const creatorInfo = await api(`act.${user}`, "post/publish/creator_info/query/", {});
    expect(creatorInfo).toMatchObject({ status: 200, body: { error: { code } } });
    expect(await ledger(user)).toHaveLength(15);
  });

  it("can be started six times a minute", async () => {
    const token = `act.${createName()}`;
    for (let i = 0; i < 6; i++) expect((await init(token)).status).toBe(200);
    expect(await init(token)).toMatchObject({ status: 429, body: { error: { code: "rate_limit_exceeded" } } });
  });

  it("can only be read by their own account", async () => {
    const { publish_id } = (await init(`act.${createName()}`)).body.data;
    const ask = (token: string, id: unknown) => api(token, "post/publish/status/fetch/", { publish_id: id });
    expect(await ask(`act.${createName()}`, publish_id)).toMatchObject({
      status: 400,
      body: { error: { code: "token_not_authorized_for_specified_publish_id" } },
    });
    expect((await ask(`act.${createName()}`, "v_pub_file~none")).body.error.code).toBe("invalid_publish_id");
  });

  it("have ids that are numbers above 2^53", async () => {
    const token = `act.${createName()}`;
    const { publish_id, upload_url } = (await init(token)).body.data;
    await putChunk(String(upload_url), 1_000, "bytes 0-999/1000");
    const ask = async () => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const url = toUrl("/tiktok/v2/post/publish/status/fetch/");
      return (await fetch(url, { method: "POST", headers, body: JSON.stringify({ publish_id }) })).text();
    };
    expect(await ask()).toContain('"status":"PROCESSING_UPLOAD"');
    expect(await ask()).toMatch(/"publicaly_available_post_id":\[\d{19}\]/);
  });
});

describe("tokens of TikTok's simulator", () => {
  it.each([
    ["none", "user/info/?fields=open_id", 401, "access_token_invalid"],
    ["act.sim_scopes~video.list", "user/info/?fields=open_id", 401, "scope_not_authorized"],
    ["act.sim_basic~user.info.basic", "user/info/?fields=username", 401, "scope_not_authorized"],
    ["act.sim_all", "user/info/", 400, "invalid_params"],
    ["act.sim_all", "user/info/?fields=username", 200, "ok"],
  ])("are answered with the status for %s at %s: %i %s", async (token, path, status, code) => {
    expect(await api(token, path)).toMatchObject({ status, body: { error: { code } } });
  });

  it("are issued, renewed and revoked by a form with the app's secret, and invalid grants are rejected with status 200", async () => {
    const form = async (path: string, fields: Record<string, string>) => {
      const body = new URLSearchParams({ client_key: "app-1", client_secret: "s3cret", ...fields });
      const response = await fetch(toUrl(`/tiktok/v2/oauth/${path}/`), { method: "POST", body });
      const answer: Record<string, string> = JSON.parse(await response.text());
      return { status: response.status, body: answer };
    };
    const renew = (refresh_token: string, fields: Record<string, string> = {}) =>
      form("token", { grant_type: "refresh_token", refresh_token, ...fields });
    const renewed = await renew("rft.sim_form");
    expect(renewed).toMatchObject({
      status: 200,
      body: { token_type: "Bearer", scope: expect.stringContaining("video.publish") },
    });
    expect(await renew("rft.sim_form")).toMatchObject({ status: 200, body: { error: "invalid_grant" } });
    const wrong = await renew("rft.sim_other", { client_secret: "wrong" });
    expect(wrong).toMatchObject({ status: 400, body: { error: "invalid_client" } });
    const { access_token = "", refresh_token = "" } = renewed.body;
    expect((await api(access_token, "user/info/?fields=open_id")).body.error.code).toBe("ok");
    expect((await form("revoke", { token: access_token })).status).toBe(200);
    expect((await api(access_token, "user/info/?fields=open_id")).body.error.code).toBe("access_token_invalid");
    expect((await renew(refresh_token)).body).toMatchObject({ error: "invalid_grant" });
  });
});
