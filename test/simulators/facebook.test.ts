// Facebook's simulator rejects the same calls as the network, and publishes only with the publish call.
import { describe, expect, it } from "vitest";
import { makePng } from "../../scripts/local/png.ts";
import { call, ledger, toUrl, useSimulators } from "./support/driver.ts";

useSimulators();

interface Answer {
  id: string;
  post_id: string;
  video_id: string;
  upload_session_id: string;
  start_offset: string;
  end_offset: string;
  success: boolean;
  access_token: string;
  data: { id: string; access_token: string; message?: string; permission?: string; status?: string }[];
  error: { code: number; error_subcode?: number; message: string; error_data?: object };
  debug_info: { type: string };
}

const V = "/facebook/v25.0";
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const get = (path: string, token: string) => call<Answer>(`${V}${path}`, undefined, bearer(token));
const send = (path: string, token: string, body: object) => call<Answer>(`${V}${path}`, body, bearer(token));

/** A new Page with its own token. */
async function createPage(name: string, flaws = "") {
  const token = `EAApage-${name}${flaws}`;
  const { id } = (await get("/me?fields=id", token)).body;
  return { name, id, token, post: (edge: string, body: object) => send(`/${id}/${edge}`, token, body) };
}

async function uploadPhoto(
  testPage: Awaited<ReturnType<typeof createPage>>,
  bytes = makePng(40, 30, 1),
  type = "image/png",
) {
  const url = `https://files.test/${testPage.name}/${bytes.byteLength}`;
  await fetch(toUrl(`/_sim/files?url=${encodeURIComponent(url)}`), {
    method: "PUT",
    headers: { "content-type": type },
    body: new Uint8Array(bytes),
  });
  return testPage.post("photos", { url, published: false, alt_text_custom: "alt" });
}

const VIDEO = new Uint8Array(5_000_000).fill(3);
VIDEO.set(new TextEncoder().encode("\0\0\0 ftypisom"));

describe("tokens of Facebook's simulator", () => {
  it.each([
    ["no token", "", 400, 2500],
    ["a malformed token", "EAAnonsense", 401, 190],
    ["an expired token", "EAApage-late~expired", 401, 190],
  ])("answer %s with an error", async (_, token, status, code) => {
    expect(await get("/me", token)).toMatchObject({ status, body: { error: { code } } });
  });

  it("belong to a person or to one Page, and only the Page's own token may publish on it", async () => {
    const person = "EAAuser-owner+2";
    const { data } = (await get("/me/accounts?fields=id,name,tasks,access_token", person)).body;
    expect(data).toHaveLength(2);
    const [first, second] = data;
    expect((await send(`/${first?.id}/feed`, person, { message: "x" })).body.error.code).toBe(210);
    const wrong = await send(`/${first?.id}/feed`, second?.access_token ?? "", { message: "x" });
    expect(wrong.body.error).toMatchObject({ code: 100, error_subcode: 33 });
    expect((await send(`/${first?.id}/feed`, first?.access_token ?? "", { message: "x" })).status).toBe(200);
    expect(await ledger("owner")).toHaveLength(1);
    expect((await get("/me/accounts?fields=id", first?.access_token ?? "")).body.error.code).toBe(100);
    expect((await get("/me?fields=category", person)).body.error.code).toBe(100);
  });

  it.each([
    ["~no_pages_manage_posts", 200],
    ["~analyst", 200],
  ])("of a person with %s may not publish", async (flaw, code) => {
    const { data } = (await get("/me/accounts?fields=id,access_token", `EAAuser-weak${flaw}`)).body;
    const [onlyPage] = data;
    expect((await send(`/${onlyPage?.id}/feed`, onlyPage?.access_token ?? "", { message: "x" })).body.error.code).toBe(
      code,
    );
    expect(await ledger("weak")).toEqual([]);
  });

  it("are revoked together, including those of the Page", async () => {
    const person = "EAAuser-leaver";
    const { data } = (await get("/me/accounts?fields=access_token", person)).body;
    const revoked = await call(`${V}/me/permissions`, undefined, bearer(person), "DELETE");
    expect(revoked).toMatchObject({ status: 200, body: { success: true } });
    for (const token of [person, data[0]?.access_token ?? ""])
      expect((await get("/me", token)).body.error).toMatchObject({ code: 190, error_subcode: 458 });
  });

  it("are described only to an app with the right secret", async () => {
    const inspect = (secret: string) => get("/debug_token?input_token=EAApage-shown", `an-app|${secret}`);
    expect((await inspect("its secret")).body.data).toMatchObject({ is_valid: true, expires_at: 0, type: "PAGE" });
    expect((await inspect("another")).body.error.code).toBe(1);
  });
});

describe("the consent dialog of Facebook's simulator", () => {
  const query = "client_id=sandbox-dialog&redirect_uri=https%3A%2F%2Fcrier.test%2Fback&state=s&response_type=code";

  it("shows a form, and redirects with a code for the selected permissions", async () => {
    const response = await fetch(toUrl(`${V}/dialog/oauth?${query}&scope=pages_show_list,pages_manage_posts`));
    const form = await response.text();
    expect(form).toContain("<li>pages_manage_posts</li>");
    expect(form).toContain('value="https://crier.test/back"');
    const body = new URLSearchParams(`${query}&scope=pages_show_list,pages_manage_posts`);
    for (const [name, value] of [
      ["decision", "allow"],
      ["account", "ticker"],
      ["without", "pages_manage_posts"],
    ])
      body.set(name ?? "", value ?? "");
    const decided = await fetch(toUrl(`${V}/dialog/oauth`), { method: "POST", body, redirect: "manual" });
    const back = new URL(decided.headers.get("location") ?? "");
    const app = "client_id=sandbox-dialog&client_secret=sandbox&redirect_uri=https%3A%2F%2Fcrier.test%2Fback";
    const tokens = await get(`/oauth/access_token?${app}&code=${back.searchParams.get("code")}`, "");
    const { data } = (await get("/me/permissions", tokens.body.access_token)).body;
    const status = Object.fromEntries(data.map(({ permission, status }) => [permission, status]));
    expect(status).toMatchObject({ pages_show_list: "granted", pages_manage_posts: "declined" });
  });

  it.each([
    ["an unknown scope", `${query}&scope=publish_everything`],
    ["no redirect address", "client_id=x&scope=pages_show_list"],
    ["a response type other than code", `${query.replace("=code", "=token")}&scope=pages_show_list`],
  ])("rejects %s", async (_, wrong) => {
    expect((await fetch(toUrl(`${V}/dialog/oauth?${wrong}`))).status).toBe(400);
  });
});

describe("posts on Facebook's simulator", () => {
  it.each([
    ["no content", {}, 100],
    ["a text over 63,206 characters", { message: "a".repeat(63_207) }, 100],
    ["a link to Facebook", { message: "x", link: "https://www.facebook.com/x" }, 100],
    ["a malformed link", { message: "x", link: "ftp://x" }, 100],
    ["an unknown photo", { message: "x", attached_media: [{ media_fbid: "1" }] }, 100],
    ["attached media that is no list", { message: "x", attached_media: { media_fbid: "1" } }, 100],
  ])("are rejected because of %s", async (_, body, code) => {
    const testPage = await createPage("refused");
    expect(await testPage.post("feed", body)).toMatchObject({ status: 400, body: { error: { code } } });
    expect(await ledger("refused")).toEqual([]);
  });

  it("are accepted at the length limit, and rejected the second time in a row", async () => {
    const testPage = await createPage("limit");
    const body = { message: "a".repeat(63_206) };
    expect((await testPage.post("feed", body)).status).toBe(200);
    expect((await testPage.post("feed", body)).body.error.code).toBe(506);
    expect(await ledger("limit")).toHaveLength(1);
  });

  it("show a photo only once, and only if it was not public before", async () => {
    const testPage = await createPage("photographer");
    const { id } = (await uploadPhoto(testPage)).body;
    expect(await ledger("photographer")).toEqual([]);
    const body = { message: "x", attached_media: [{ media_fbid: id }] };
    const posted = await testPage.post("feed", body);
    expect((await testPage.post("feed", body)).body.error.error_subcode).toBe(1366051);
    const story = await testPage.post("photo_stories", { photo_id: id });
    expect(story.body.error.error_subcode).toBe(1366051);
    expect((await get(`/${id}?fields=page_story_id`, testPage.token)).body).toMatchObject({
      page_story_id: posted.body.id,
    });
    expect(await ledger("photographer")).toMatchObject([{ media: [{ type: "image/png", alt: "alt" }] }]);
  });

  it.each([
    ["larger than 10 MB", Buffer.concat([makePng(40, 30, 1), Buffer.alloc(10_000_000)]), 1366046],
    ["that is no image", Buffer.from(VIDEO.subarray(0, 100)), 1366046],
  ])("reject a photo %s", async (_, bytes, subcode) => {
    expect((await uploadPhoto(await createPage("strict"), bytes)).body.error.error_subcode).toBe(subcode);
  });

  it("can be read, measured by existing metrics, and deleted", async () => {
    const testPage = await createPage("reader");
    const { id } = (await testPage.post("feed", { message: "x" })).body;
    const read = () => get(`/${id}?fields=message,permalink_url`, testPage.token);
    expect((await read()).body).toMatchObject({ id, message: "x" });
    expect((await get(`/${id}?fields=nonsense`, testPage.token)).body.error.code).toBe(100);
    expect((await get(`/${id}/insights?metric=post_media_view`, testPage.token)).body.data).toHaveLength(1);
    expect((await get(`/${id}/insights?metric=post_impressions`, testPage.token)).body.error.code).toBe(100);
    const stranger = await createPage("stranger");
    expect((await get(`/${id}?fields=message`, stranger.token)).body.error).toMatchObject({
      code: 100,
      error_subcode: 33,
    });
    expect((await call(`${V}/${id}`, undefined, bearer(testPage.token), "DELETE")).status).toBe(200);
    expect((await read()).body.error).toMatchObject({ code: 100, error_subcode: 33 });
    expect(await ledger("reader")).toMatchObject([{ deleted: true }]);
  });

  it("are accepted by an expired version as by the oldest remaining one, and rejected by an unknown version", async () => {
    expect((await call("/facebook/v20.0/me", undefined, bearer("EAApage-old"))).status).toBe(200);
    const { error } = (await call<Answer>("/facebook/v99.0/me", undefined, bearer("EAApage-old"))).body;
    expect(error).toMatchObject({ code: 2500, message: "Unknown path components: /me" });
  });
});

describe("videos on Facebook's simulator", () => {
  const upload = async (id: string, token: string, headers: Record<string, string>, body: Uint8Array<ArrayBuffer>) => {
    const answer = await fetch(toUrl(`/facebook/video-upload/v25.0/${id}`), {
      method: "POST",
      headers: { authorization: `OAuth ${token}`, ...headers },
      body,
    });
    return (await answer.json()) as Answer;
  };
  const sendForm = (
    testPage: { id: string; token: string },
    fields: Record<string, string>,
    chunk?: Uint8Array<ArrayBuffer>,
  ) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    if (chunk !== undefined) body.set("video_file_chunk", new Blob([chunk]));
    const init = { method: "POST", headers: bearer(testPage.token), body };
    return fetch(toUrl(`${V}/${testPage.id}/videos`), init).then(async (answer): Promise<Answer> => answer.json());
  };

  it("continue a reel exactly where its upload broke off", async () => {
    const testPage = await createPage("uploader");
    const { video_id: id } = (await testPage.post("video_reels", { upload_phase: "start" })).body;
    const size = { file_size: String(VIDEO.byteLength) };
    const finish = { upload_phase: "finish", video_id: id, video_state: "PUBLISHED" };
    expect((await testPage.post("video_reels", finish)).body.error.code).toBe(6000);
    const short = await upload(id, testPage.token, { offset: "0", ...size }, VIDEO.subarray(0, 1_000));
    expect(short.debug_info.type).toBe("PartialRequestError");
    const wrong = await upload(id, testPage.token, { offset: "5", ...size }, VIDEO.subarray(5));
    expect(wrong.debug_info.type).toBe("OffsetInvalidError");
    const { body } = await call<{ status: object }>(`${V}/${id}?fields=status`, undefined, bearer(testPage.token));
    expect(body.status).toMatchObject({ uploading_phase: { status: "in_progress", bytes_transfered: 1_000 } });
    expect((await upload(id, testPage.token, { offset: "1000", ...size }, VIDEO.subarray(1_000))).success).toBe(true);
    expect((await testPage.post("video_reels", { ...finish, video_state: "NONE" })).body.error.code).toBe(100);
    expect((await testPage.post("video_stories", finish)).body.error.code).toBe(100);
    for (let i = 0; i < 2; i++) expect((await testPage.post("video_reels", finish)).body).toEqual({ success: true });
    expect(await ledger("uploader")).toHaveLength(1);
  });

  it("accept the chunks of a plain video only in order", async () => {
    const testPage = await createPage("parts");
    expect((await sendForm(testPage, { upload_phase: "start" })).error.code).toBe(100);
    const started = await sendForm(testPage, { upload_phase: "start", file_size: String(VIDEO.byteLength) });
    expect(started).toMatchObject({ start_offset: "0", end_offset: "4194304" });
    const session = { upload_session_id: started.upload_session_id };
    const transfer = (start: number, end: number) =>
      sendForm(
        testPage,
        { upload_phase: "transfer", ...session, start_offset: String(start) },
        VIDEO.subarray(start, end),
      );
    expect((await transfer(9, 20)).error).toMatchObject({ error_subcode: 1363037, error_data: { start_offset: "0" } });
    expect((await transfer(0, 4_194_305)).error.code).toBe(100);
    expect(await transfer(0, 4_194_304)).toMatchObject({ start_offset: "4194304", end_offset: "5000000" });
    expect((await sendForm(testPage, { upload_phase: "finish", ...session })).error.code).toBe(100);
    expect(await transfer(4_194_304, 5_000_000)).toMatchObject({ start_offset: "5000000", end_offset: "5000000" });
    expect(await ledger("parts")).toEqual([]);
    expect((await sendForm(testPage, { upload_phase: "finish", ...session })).success).toBe(true);
    expect(await ledger("parts")).toMatchObject([{ media: [{ bytes: 5_000_000 }] }]);
  });
});
