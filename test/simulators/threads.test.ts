// Threads takes a container once it is ready, and refuses what the network refuses.
import { describe, expect, it } from "vitest";
import { makePng } from "../../scripts/local/png.ts";
import { address, call, ledger, useSimulators } from "./support/driver.ts";

useSimulators();

type Body = Record<string, string> & { error: { code: number; error_subcode?: number; message: string } };

const api = "/threads/v1.0";
const tokenOf = (account: string, ...scopes: string[]) => [`access-for-${account}`, ...scopes].join("+");
const form = async (path: string, fields: Record<string, string>, method = "POST") => {
  const response = await fetch(address(path), { method, body: new URLSearchParams(fields) });
  const body: Body = await response.json();
  return { status: response.status, body };
};
const get = (path: string, fields: Record<string, string>) => call<Body>(`${path}?${new URLSearchParams(fields)}`);
const make = (access_token: string, fields: Record<string, string>) =>
  form(`${api}/me/threads`, { access_token, ...fields });
const publish = (access_token: string, creation_id: string) =>
  form(`${api}/me/threads_publish`, { access_token, creation_id });
const refusal = (code: number, error_subcode?: number) => ({
  body: { error: error_subcode === undefined ? { code } : { code, error_subcode } },
});

async function host(name: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const url = `https://files.example/${name}`;
  const put = { method: "PUT", headers: { "content-type": type }, body: bytes };
  await fetch(address(`/_sim/files?url=${encodeURIComponent(url)}`), put);
  return url;
}

describe("a container", () => {
  it("of text is ready at once, goes out once, and can be read from then on", async () => {
    const access_token = tokenOf("writer");
    const { body: container } = await make(access_token, { media_type: "TEXT", text: "hello", topic_tag: "crier" });
    const id = container.id ?? "";
    const status = { access_token, fields: "status,error_message" };
    expect((await get(`${api}/${id}`, status)).body).toEqual({ id, status: "FINISHED" });
    const published = await publish(access_token, id);
    const [entry, ...others] = await ledger("writer");
    expect(others).toEqual([]);
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

  it("of a file is worked on first; publishing it too early is refused", async () => {
    const access_token = tokenOf("early");
    const image_url = await host("early.png", "image/png", new Uint8Array(makePng(8, 8, 1)));
    const { body } = await make(access_token, { media_type: "IMAGE", image_url, alt_text: "a" });
    const id = body.id ?? "";
    expect(await publish(access_token, id)).toMatchObject(refusal(24, 4279009));
    const status = async () => (await get(`${api}/${id}`, { access_token, fields: "status" })).body.status;
    expect([await status(), await status()]).toEqual(["IN_PROGRESS", "FINISHED"]);
    expect((await publish(access_token, id)).status).toBe(200);
    expect((await ledger("early"))[0]?.media).toMatchObject([{ type: "image/png", alt: "a" }]);
  });

  it("of a carousel takes the account's own ready items, and no item goes out alone", async () => {
    const access_token = tokenOf("album");
    const image_url = await host("album.png", "image/png", new Uint8Array(makePng(8, 8, 1)));
    const item = { media_type: "IMAGE", image_url, is_carousel_item: "true" };
    const ids = [(await make(access_token, item)).body.id ?? "", (await make(access_token, item)).body.id ?? ""];
    const carousel = (children: string[], token = access_token) =>
      make(token, { media_type: "CAROUSEL", children: children.join(",") });
    expect(await carousel(ids)).toMatchObject(refusal(24, 4279009));
    await get(`${api}/${ids[0]}`, { access_token, fields: "status" });
    expect(await carousel(ids.slice(1))).toMatchObject(refusal(100));
    expect(await carousel(ids, tokenOf("thief"))).toMatchObject(refusal(100));
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
  ])("%j is refused", async (fields, code) => {
    expect(await make(tokenOf("strict"), fields)).toMatchObject({ status: 400, ...refusal(code) });
    expect(await ledger("strict")).toEqual([]);
  });

  it("of a video that cannot be fetched fails by and by", async () => {
    const access_token = tokenOf("novideo");
    const { body } = await make(access_token, { media_type: "VIDEO", video_url: "https://files.example/nowhere" });
    const status = async () => (await get(`${api}/${body.id}`, { access_token, fields: "status,error_message" })).body;
    expect([(await status()).status, (await status()).status]).toEqual(["IN_PROGRESS", "IN_PROGRESS"]);
    expect(await status()).toMatchObject({ status: "ERROR", error_message: "FAILED_DOWNLOADING_VIDEO" });
    expect(await publish(access_token, body.id ?? "")).toMatchObject(refusal(24, 4279009));
  });
});

describe("a token", () => {
  it.each([
    ["", 104],
    ["nonsense", 190],
    [tokenOf("x y"), 190],
    [tokenOf("scoped", "threads_basic"), 10],
  ])("%j may not publish", async (access_token, code) => {
    expect(await make(access_token, { media_type: "TEXT", text: "x" })).toMatchObject(refusal(code));
  });

  it("is of one account: another's containers and posts are not there", async () => {
    const { body } = await make(tokenOf("owner"), { media_type: "TEXT", text: "x" });
    expect(await get(`${api}/${body.id}`, { access_token: tokenOf("stranger") })).toMatchObject(refusal(100, 33));
    expect(await publish(tokenOf("stranger"), body.id ?? "")).toMatchObject(refusal(24, 4279009));
  });

  it("that has expired is dead, also for a renewal; one that is renewed is another", async () => {
    const access_token = tokenOf("mortal");
    await get(`${api}/me`, { access_token });
    const renew = () => get("/threads/refresh_access_token", { grant_type: "th_refresh_token", access_token });
    const { body } = await renew();
    expect(body).toMatchObject({ token_type: "bearer", expires_in: 5_183_944 });
    expect((await get(`${api}/me`, { access_token: body.access_token ?? "", fields: "username" })).body).toMatchObject({
      username: "mortal",
    });
    // It was issued just now.
    const young = { grant_type: "th_refresh_token", access_token: body.access_token ?? "" };
    expect(await get("/threads/refresh_access_token", young)).toMatchObject(refusal(100));
    await call("/_sim/faults", { platform: "threads", account: "mortal", expire_token: true });
    expect(await get(`${api}/me`, { access_token })).toMatchObject(refusal(190, 463));
    expect(await renew()).toMatchObject(refusal(190, 463));
  });
});

describe("a person's consent", () => {
  const query = {
    client_id: "any",
    redirect_uri: "https://crier.example/back",
    response_type: "code",
    scope: "threads_basic,threads_content_publish",
    state: "s",
  };
  const authorize = async (more: Record<string, string>) => {
    const url = address(`/threads/oauth/authorize?${new URLSearchParams({ ...query, ...more })}`);
    const response = await fetch(url, { redirect: "manual" });
    return { status: response.status, location: response.headers.get("location") ?? "", text: await response.text() };
  };
  const exchange = (code: string, more: Record<string, string> = {}) =>
    form("/threads/oauth/access_token", {
      client_id: "any",
      client_secret: "first",
      grant_type: "authorization_code",
      redirect_uri: query.redirect_uri,
      code,
      ...more,
    });

  it("is asked for on a page, and its code is taken once, at its own address and with its own secret", async () => {
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
    const raw = await exchange(code);
    expect(raw).toMatchObject({ status: 200 });
    expect((await exchange(code)).status).toBe(400);
    expect((await exchange(await newCode(), { client_secret: "second" })).status).toBe(400);
    const long = { grant_type: "th_exchange_token", client_secret: "first", access_token: raw.body.access_token ?? "" };
    expect((await get("/threads/access_token", { ...long, client_secret: "second" })).status).toBe(400);
    expect((await get("/threads/access_token", long)).body).toMatchObject({ expires_in: 5_183_944 });
  });
});
