// Instagram's simulator publishes a container once it is ready, and rejects the same calls as the network.
import { expect, it } from "vitest";
import { makeJpeg } from "../../scripts/local/jpeg.ts";
import { makePng } from "../../scripts/local/png.ts";
import { call, ledger, toUrl, useSimulators } from "./support/driver.ts";

useSimulators();

type Body = Record<string, string> & { error: { code: number; error_subcode?: number; message: string } };

const api = "/instagram/v25.0";
const buildToken = (account: string, ...scopes: string[]) => [`access-for-${account}`, ...scopes].join("+");
const form = async (path: string, fields: Record<string, string>, method = "POST") => {
  const response = await fetch(toUrl(path), { method, body: new URLSearchParams(fields) });
  const body: Body = await response.json();
  return { status: response.status, body };
};
const get = (path: string, fields: Record<string, string>) => call<Body>(`${path}?${new URLSearchParams(fields)}`);
const createContainer = (access_token: string, fields: Record<string, string>) =>
  form(`${api}/me/media`, { access_token, ...fields });
const publish = (access_token: string, creation_id: string) =>
  form(`${api}/me/media_publish`, { access_token, creation_id });
const getStatus = async (access_token: string, id: string) =>
  (await get(`${api}/${id}`, { access_token, fields: "status_code,status" })).body;
const refusal = (code: number, error_subcode?: number) => ({
  body: { error: error_subcode === undefined ? { code } : { code, error_subcode } },
});

async function host(name: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const url = `https://pictures.example/${name}`;
  const init = { method: "PUT", headers: { "content-type": type }, body: bytes };
  await fetch(toUrl(`/_sim/files?url=${encodeURIComponent(url)}`), init);
  return url;
}
const jpeg = (name: string, width = 80, height = 80) => host(name, "image/jpeg", makeJpeg(width, height));
const mp4 = (name: string) =>
  host(name, "video/mp4", new Uint8Array([0, 0, 0, 32, ...new TextEncoder().encode("ftypisom"), 1, 2, 3]));

it("reports the account's own id and the app's id of an account", async () => {
  const me = async (account: string) =>
    (await get(`${api}/me`, { access_token: buildToken(account), fields: ME })).body;
  const ME = "id,user_id,username,account_type";
  const { id, user_id } = await me("somebody");
  expect(user_id).toMatch(/^17841\d{12}$/);
  expect(id).not.toBe(user_id);
  expect(await me("somebody_personal")).toMatchObject({ account_type: "PERSONAL" });
});

it("accepts an upright photo of 3:4", async () => {
  const access_token = buildToken("upright");
  const { body } = await createContainer(access_token, { image_url: await jpeg("upright.jpg", 60, 80) });
  await getStatus(access_token, body.id ?? "");
  expect(await getStatus(access_token, body.id ?? "")).toMatchObject({ status_code: "FINISHED" });
});

it("publishes a container once, and only after it is ready", async () => {
  const access_token = buildToken("publisher");
  const created = await createContainer(access_token, {
    image_url: await jpeg("a.jpg"),
    caption: "hello #crier",
    alt_text: "grey",
  });
  const id = created.body.id ?? "";
  expect(await publish(access_token, id)).toMatchObject(refusal(9007, 2207027));
  expect(await getStatus(access_token, id)).toEqual({ id, status_code: "IN_PROGRESS" });
  expect(await getStatus(access_token, id)).toEqual({ id, status_code: "FINISHED" });
  const { body } = await publish(access_token, id);
  expect(await publish(access_token, id)).toMatchObject(refusal(24, 2207008));
  expect(await getStatus(access_token, id)).toEqual({ id, status_code: "PUBLISHED" });
  const entries = await ledger("publisher");
  expect(entries).toMatchObject([{ id: body.id, token: id, text: "hello #crier", media: [{ alt: "grey" }] }]);
  const fields = "id,permalink,caption,media_product_type,timestamp";
  expect((await get(`${api}/${body.id}`, { access_token, fields })).body).toMatchObject({
    permalink: entries[0]?.url,
    caption: "hello #crier",
    media_product_type: "FEED",
  });
  expect((await get(`${api}/me/content_publishing_limit`, { access_token })).body.data).toMatchObject([
    { quota_usage: 1, config: { quota_total: 50 } },
  ]);
  // Tokens of Instagram Login cannot delete.
  expect(await form(`${api}/${body.id}`, { access_token }, "DELETE")).toMatchObject(refusal(10));
});

it("omits stories from the list, and has other metrics for them", async () => {
  const access_token = buildToken("teller");
  const created = await createContainer(access_token, {
    media_type: "STORIES",
    image_url: await jpeg("story.jpg", 90, 160),
  });
  const id = created.body.id ?? "";
  await getStatus(access_token, id);
  const { body } = await publish(access_token, id);
  expect((await get(`${api}/me/media`, { access_token, fields: "id" })).body.data).toEqual([]);
  const insights = (metric: string) => get(`${api}/${body.id}/insights`, { access_token, metric });
  expect((await insights("views,replies")).status).toBe(200);
  expect(await insights("views,likes")).toMatchObject(refusal(100));
});

it("rejects each violation of its rules with its own error code", async () => {
  const access_token = buildToken("strict_one");
  const image_url = await jpeg("ok.jpg");
  const video_url = await mp4("ok.mp4");
  const png = await host("a.png", "image/png", new Uint8Array(makePng(80, 80, 1)));
  const big = new Uint8Array(8_388_609);
  big.set(makeJpeg(8, 8));
  const cases: [Record<string, string>, number, number?][] = [
    [{}, 100, 2207023],
    [{ media_type: "VIDEO", video_url }, 100, 2207023],
    [{ media_type: "TEXT", caption: "x" }, 100, 2207023],
    [{ image_url: png }, 9004, 2207052],
    [{ image_url: "https://pictures.example/nowhere" }, 9004, 2207052],
    [{ image_url: await host("big.jpg", "image/jpeg", big) }, 36000, 2207004],
    [{ image_url: await jpeg("wide.jpg", 200, 80) }, 36003, 2207009],
    [{ image_url: await jpeg("high.jpg", 58, 80) }, 36003, 2207009],
    [{ image_url, caption: "x".repeat(2_201) }, 36004, 2207010],
    [{ image_url, caption: "#a ".repeat(31) }, 100, 2207040],
    [{ image_url, caption: "@a ".repeat(21) }, 100, 2207040],
    [{ image_url, alt_text: "x".repeat(1_001) }, 100],
    [{ image_url, share_to_feed: "true" }, 100],
    [{ image_url, collaborators: '["a","b","c","d"]' }, 100],
    [{ image_url, is_carousel_item: "true", is_ai_generated: "true" }, 100],
    [{ media_type: "REELS", video_url, alt_text: "x" }, 100],
    [{ media_type: "REELS", video_url, thumb_offset: "-1" }, 1, 2207057],
    [{ media_type: "REELS", video_url, trial_params: '{"graduation_strategy":"SOON"}' }, 100],
    [{ media_type: "REELS" }, 100],
    [{ media_type: "STORIES", image_url, location_id: "1" }, 100],
    [{ media_type: "CAROUSEL", children: "1" }, 100, 2207028],
    [{ media_type: "CAROUSEL", children: "1,2" }, 24, 2207008],
  ];
  for (const [fields, code, subcode] of cases)
    expect(await createContainer(access_token, fields), JSON.stringify(fields).slice(0, 120)).toMatchObject(
      refusal(code, subcode),
    );
  expect(await ledger("strict_one")).toEqual([]);
});

it("reports a broken video only after processing it", async () => {
  const access_token = buildToken("filmer");
  const reel = async (video_url: string) =>
    (await createContainer(access_token, { media_type: "REELS", video_url })).body.id ?? "";
  const missing = await reel("https://pictures.example/nowhere");
  const wrong = await reel(await jpeg("no-video.jpg"));
  await getStatus(access_token, missing);
  await getStatus(access_token, missing);
  const buildFailure = (number: number) => ({ status_code: "ERROR", status: expect.stringContaining(String(number)) });
  expect(await getStatus(access_token, missing)).toMatchObject(buildFailure(2207077));
  expect(await getStatus(access_token, wrong)).toMatchObject(buildFailure(2207026));
  expect(await publish(access_token, wrong)).toMatchObject(refusal(24, 2207008));
});

it("requires a scope for each kind of call", async () => {
  expect(await createContainer(buildToken("reader", "instagram_business_basic"), {})).toMatchObject(refusal(10));
  const writer = buildToken("reader", "instagram_business_content_publish");
  expect(await get(`${api}/me`, { access_token: writer })).toMatchObject(refusal(10));
  expect(await get(`${api}/me`, { access_token: "EAAB" })).toMatchObject(refusal(190));
});
