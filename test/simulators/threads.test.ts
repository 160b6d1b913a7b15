// Threads's simulator publishes a container once it is ready, and rejects the same calls as the network.
import { describe, expect, it } from "vitest";
import { makePng } from "../../scripts/local/png.ts";
import { call, ledger, toUrl, useSimulators } from "./support/driver.ts";

useSimulators();

type Body = Record<string, string> & { error: { code: number; error_subcode?: number; message: string } };

const api = "/threads/v1.0";
const buildToken = (account: string, ...scopes: string[]) => [`access-for-${account}`, ...scopes].join("+");
const form = async (path: string, fields: Record<string, string>, method = "POST") => {
  const response = await fetch(toUrl(path), { method, body: new URLSearchParams(fields) });
  const body: Body = await response.json();
  return { status: response.status, body };
};
const get = (path: string, fields: Record<string, string>) => call<Body>(`${path}?${new URLSearchParams(fields)}`);
const createContainer = (access_token: string, fields: Record<string, string>) =>
  form(`${api}/me/threads`, { access_token, ...fields });
const publish = (access_token: string, creation_id: string) =>
  form(`${api}/me/threads_publish`, { access_token, creation_id });
const refusal = (code: number, error_subcode?: number) => ({
  body: { error: error_subcode === undefined ? { code } : { code, error_subcode } },
});

async function host(name: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const url = `https://files.example/${name}`;
  const init = { method: "PUT", headers: { "content-type": type }, body: bytes };
  await fetch(toUrl(`/_sim/files?url=${encodeURIComponent(url)}`), init);
  return url;
}

describe("a container on Threads's simulator", () => {
  it("with text is ready at once, is published once, and can be read afterwards", async () => {
    const access_token = buildToken("writer");
    const { body: container } = await createContainer(access_token, {
      media_type: "TEXT",
      text: "hello",
      topic_tag: "crier",
    });
    const id = container.id ?? "";
    const status = { access_token, fields: "status,error_message" };
    expect((await get(`${api}/${id}`, status)).body).toEqual({ id, status: "FINISHED" });
    const published = await publish(access_token, id);
    const [entry, ...otherEntries] = await ledger("writer");
    expect(otherEntries).toEqual([]);
    expect(entry).toMatchObject({ id: published.body.id, token: id, text: "hello", detail: { topic_tag: "crier" } });
    expect((await get(`${api}/${id}`, status)).body).toMatchObject({ status: "PUBLISHED" });
    expect(await publish(access_token, id)).toMatchObject(refusal(24, 4279009));
    const fields = "id,permalink,text,media_type,timestamp";
    const read = await get(`${api}/${published.body.id}`, { access_token, fields });
    expect(read.body).toMatchObject({ text: "hello", media_type: "TEXT_POST", permalink: entry?.url });
    // A post has no status.
    expect(await get(`${api}/${published.body.id}`, { access_token, fields: "status" })).toMatchObject(refusal(100));
    const list = await get(`${api}/me/threads`, { access_token, fields: "id,text" });
    expect(list.body.data).toEqual([{ id: published.body.id, text: "hello" }]);
    await form(`${api}/${published.body.id}`, { access_token }, "DELETE");
    expect(await get(`${api}/${published.body.id}`, { access_token })).toMatchObject(refusal(100, 33));
    expect((await ledger("writer"))[0]?.deleted).toBe(true);
  });

  it("with a file is processed first, and cannot be published too early", async () => {
    const access_token = buildToken("early");
    const image_url = await host("early.png", "image/png", new Uint8Array(makePng(8, 8, 1)));
    const { body } = await createContainer(access_token, { media_type: "IMAGE", image_url, alt_text: "a" });
    const id = body.id ?? "";
    expect(await publish(access_token, id)).toMatchObject(refusal(24, 4279009));
    const status = async () => (await get(`${api}/${id}`, { access_token, fields: "status" })).body.status;
    expect([await status(), await status()]).toEqual(["IN_PROGRESS", "FINISHED"]);
    expect((await publish(access_token, id)).status).toBe(200);
    expect((await ledger("early"))[0]?.media).toMatchObject([{ type: "image/png", alt: "a" }]);
  });

  it("with a carousel accepts the account's own finished items, and no item can be published alone", async () => {
    const access_token = buildToken("album");
    const image_url = await host("album.png", "image/png", new Uint8Array(makePng(8, 8, 1)));
    const item = { media_type: "IMAGE", image_url, is_carousel_item: "true" };
    const ids = [
      (await createContainer(access_token, item)).body.id ?? "",
      (await createContainer(access_token, item)).body.id ?? "",
    ];
    const carousel = (children: string[], token = access_token) =>
      createContainer(token, { media_type: "CAROUSEL", children: children.join(",") });
    expect(await carousel(ids)).toMatchObject(refusal(24, 4279009));
    await get(`${api}/${ids[0]}`, { access_token, fields: "status" });
    expect(await carousel(ids.slice(1))).toMatchObject(refusal(100));
    expect(await carousel(ids, buildToken("thief"))).toMatchObject(refusal(100));
    expect(await publish(access_token, ids[0] ?? "")).toMatchObject(refusal(24, 4279009));
    expect((await carousel(ids)).status).toBe(200);
  });

  it.each([
    [{ media_type: "TEXT" }, 100],
    [{ media_type: "TEXT", text: "x".repeat(501) }, 100],
    [{ media_type: "TEXT", text: "😀".repeat(126) }, 100],
    [{ media_type: "TEXT", text: [1, 2, 3, 4, 5, 6].map((i) => `https://example.com/${i}`).join(" ") }, 100],
    [{ media_type: "TEXT", text: "x", topic_tag: "a.b" }, 100],
    [{ media_type: "TEXT", text: "x", reply_control: "nobody" }, 100],
    [{ media_type: "TEXT", text: "x", alt_text: "x" }, 100],
    [{ media_type: "TEXT", text: "x", is_carousel_item: "true" }, 100],
    [{ media_type: "TEXT", text: "x", is_spoiler_media: "true" }, 100],
    [{ media_type: "TEXT", text: "x", auto_publish_text: "true" }, 100],
    [{ media_type: "REELS", text: "x" }, 100],
    [{ media_type: "IMAGE" }, 100],
    [{ media_type: "IMAGE", image_url: "https://files.example/nowhere" }, 1],
    [{ media_type: "CAROUSEL", children: "1,2" }, 100],
  ])("is rejected with the fields %j", async (fields, code) => {
    expect(await createContainer(buildToken("strict"), fields)).toMatchObject({ status: 400, ...refusal(code) });
    expect(await ledger("strict")).toEqual([]);
  });

  it("with a video that cannot be fetched fails after a while", async () => {
    const access_token = buildToken("novideo");
    const { body } = await createContainer(access_token, {
      media_type: "VIDEO",
      video_url: "https://files.example/nowhere",
    });
    const status = async () => (await get(`${api}/${body.id}`, { access_token, fields: "status,error_message" })).body;
    expect([(await status()).status, (await status()).status]).toEqual(["IN_PROGRESS", "IN_PROGRESS"]);
    expect(await status()).toMatchObject({ status: "ERROR", error_message: "FAILED_DOWNLOADING_VIDEO" });
    expect(await publish(access_token, body.id ?? "")).toMatchObject(refusal(24, 4279009));
  });
});

describe("a token of Threads's simulator", () => {
  it.each([
    ["", 104],
    ["nonsense", 190],
    [buildToken("x y"), 190],
    [buildToken("scoped", "threads_basic"), 10],
  ])("may not publish if it is %j", async (access_token, code) => {
    expect(await createContainer(access_token, { media_type: "TEXT", text: "x" })).toMatchObject(refusal(code));
  });

  it("belongs to one account, and cannot read another account's containers and posts", async () => {
    const { body } = await createContainer(buildToken("owner"), { media_type: "TEXT", text: "x" });
    expect(await get(`${api}/${body.id}`, { access_token: buildToken("stranger") })).toMatchObject(refusal(100, 33));
    expect(await publish(buildToken("stranger"), body.id ?? "")).toMatchObject(refusal(24, 4279009));
  });

  it("cannot be renewed after it has expired, and a renewal issues another token", async () => {
    const access_token = buildToken("mortal");
    await get(`${api}/me`, { access_token });
    const renew = () => get("/threads/refresh_access_token", { grant_type: "th_refresh_token", access_token });
    const { body } = await renew();
    expect(body).toMatchObject({ token_type: "bearer", expires_in: 5_183_944 });
    expect((await get(`${api}/me`, { access_token: body.access_token ?? "", fields: "username" })).body).toMatchObject({
      username: "mortal",
    });
    // The token was issued just now.
    const young = { grant_type: "th_refresh_token", access_token: body.access_token ?? "" };
    expect(await get("/threads/refresh_access_token", young)).toMatchObject(refusal(100));
    await call("/_sim/faults", { platform: "threads", account: "mortal", expire_token: true });
    expect(await get(`${api}/me`, { access_token })).toMatchObject(refusal(190, 463));
    expect(await renew()).toMatchObject(refusal(190, 463));
  });
});

describe("a person's consent at Threads's simulator", () => {
  const query = {
    client_id: "any",
    redirect_uri: "https://crier.example/back",
    response_type: "code",
    scope: "threads_basic,threads_content_publish",
    state: "s",
  };
  const authorize = async (fields: Record<string, string>) => {
    const url = toUrl(`/threads/oauth/authorize?${new URLSearchParams({ ...query, ...fields })}`);
    const response = await fetch(url, { redirect: "manual" });
    return { status: response.status, location: response.headers.get("location") ?? "", text: await response.text() };
  };
  const exchange = (code: string, fields: Record<string, string> = {}) =>
    form("/threads/oauth/access_token", {
      client_id: "any",
      client_secret: "first",
      grant_type: "authorization_code",
      redirect_uri: query.redirect_uri,
      code,
      ...fields,
    });

  it("is given on a page, and its code works once, with its own redirect address and secret", async () => {
    expect((await authorize({})).text).toContain("threads_content_publish");
    expect((await authorize({ scope: "everything" })).status).toBe(400);
    expect((await authorize({ client_id: "" })).status).toBe(400);
    const { location } = await authorize({ decision: "allow", account: "person" });
    expect(location).toMatch(/#_$/);
    const newCode = async () =>
      new URL((await authorize({ decision: "allow" })).location).searchParams.get("code") ?? "";
    const elsewhere = { redirect_uri: "https://crier.example/other" };
    expect((await exchange(await newCode(), elsewhere)).status).toBe(400);
    const code = await newCode();
    const shortToken = await exchange(code);
    expect(shortToken).toMatchObject({ status: 200 });
    expect((await exchange(code)).status).toBe(400);
    expect((await exchange(await newCode(), { client_secret: "second" })).status).toBe(400);
    const exchangeFields = {
      grant_type: "th_exchange_token",
      client_secret: "first",
      access_token: shortToken.body.access_token ?? "",
    };
    expect((await get("/threads/access_token", { ...exchangeFields, client_secret: "second" })).status).toBe(400);
    expect((await get("/threads/access_token", exchangeFields)).body).toMatchObject({ expires_in: 5_183_944 });
  });
});
