// The library: files are found by name, tags, alt text and kind, and images have thumbnails.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { makePng } from "../../scripts/local/png.ts";
import type { Media } from "../../src/contract/media.ts";
import { testEnv } from "../support/env.ts";
import { type Account, call, signUp, upload, uploadImage, uploadVideo } from "../support/world.ts";

type MediaBody = z.output<typeof Media>;

const register = async ({ key }: Account, body: object) =>
  (
    await call<MediaBody>("POST", "/v1/media", {
      token: key,
      body: { url: "https://files.example.com/a.png", kind: "image", ...body },
    })
  ).body;
const patch = ({ key }: Account, id: string, body: object) =>
  call<MediaBody>("PATCH", `/v1/media/${id}`, { token: key, body });
const getMedia = async ({ key }: Account, id: string) =>
  (await call<MediaBody>("GET", `/v1/media/${id}`, { token: key })).body;
const find = async ({ key }: Account, query: string) =>
  (await call<{ media: MediaBody[]; next: string | null }>("GET", `/v1/media?${query}`, { token: key })).body;
const findNames = async (account: Account, query: string) => (await find(account, query)).media.map(({ name }) => name);
const fetchFile = (url: string | null, headers: Record<string, string> = {}) =>
  exports.default.fetch(new Request(url ?? "http://media.crier.test/none", { headers }));

/** A library of four files. */
async function setUpLibrary() {
  const account = await signUp();
  await register(account, { name: "engine.png", tags: ["product"], alt: "A steam engine" });
  await register(account, { name: "team.png", tags: ["people"] });
  await register(account, {
    name: "engine.mp4",
    kind: "video",
    url: "https://files.example.com/a.mp4",
    tags: ["product"],
  });
  await register(account, { name: "plan.png", tags: ["product", "internal"], alt: "The plan of the engine" });
  return account;
}

describe("name and tags of a file", () => {
  it("are stored when a file is registered or its upload is requested", async () => {
    const account = await signUp();
    expect(await register(account, { name: "  a\u200bb.png " })).toMatchObject({ name: "ab.png", tags: [] });
    const requested = await call<{ media: MediaBody }>("POST", "/v1/media/upload-url", {
      token: account.key,
      body: { content_type: "image/png", bytes: 10, name: "c.png", tags: ["x"] },
    });
    expect(requested.body.media).toMatchObject({ name: "c.png", tags: ["x"] });
  });

  it("can be changed one by one, and what is left out stays", async () => {
    const account = await signUp();
    const { id } = await register(account, { name: "a.png", tags: ["one"], alt: "A" });
    expect((await patch(account, id, { tags: ["two", "three"] })).body).toMatchObject({
      name: "a.png",
      tags: ["two", "three"],
      alt: "A",
    });
    expect((await patch(account, id, { name: null })).body).toMatchObject({ name: null, alt: "A" });
    expect((await patch(account, id, { alt: null })).body).toMatchObject({ alt: null, tags: ["two", "three"] });
    expect((await patch(account, id, {})).body).toMatchObject({ error: "alt_required" });
  });

  it.each([
    ["a tag that is given twice", { tags: ["a", "a"] }],
    ["an empty tag", { tags: [" "] }],
    ["a tag of 51 characters", { tags: ["a".repeat(51)] }],
    ["21 tags", { tags: Array.from({ length: 21 }, (_, i) => `${i}`) }],
    ["a name of 256 characters", { name: "a".repeat(256) }],
  ])("refuses %s", async (_, body) => {
    const account = await signUp();
    const { id } = await register(account, {});
    expect(await patch(account, id, body)).toMatchObject({ status: 422, body: { error: "invalid_field" } });
  });

  it("all of four concurrent changes are kept together with the terms of the last one", async () => {
    const account = await signUp();
    const { id } = await register(account, {});
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, i) => patch(account, id, i % 2 === 0 ? { name: `n${i}` } : { tags: [`t${i}`] })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { name, tags } = await getMedia(account, id);
    expect(await findNames(account, `q=${name}&tag=${tags[0]}`)).toEqual([name]);
    const { results } = await testEnv.DB.prepare("SELECT term FROM media_terms WHERE media_id = ? ORDER BY term")
      .bind(id)
      .all<{ term: string }>();
    expect(results.map(({ term }) => term)).toEqual([`#${tags[0]}`, `=${name}`, `=${tags[0]}`, "image"].sort());
  });
});

describe("finding files", () => {
  it.each([
    ["q=ENGINE", ["plan.png", "engine.mp4", "engine.png"]],
    ["q=engine&kind=image", ["plan.png", "engine.png"]],
    ["q=steam engine", ["engine.png"]],
    ["q=engin", []],
    ["tag=product", ["plan.png", "engine.mp4", "engine.png"]],
    ["tag=Product", []],
    ["tag=product&kind=video", ["engine.mp4"]],
    ["kind=image", ["plan.png", "team.png", "engine.png"]],
    ["q=people", ["team.png"]],
    ["q=nothing", []],
  ])("%s finds the newest first", async (query, names) => {
    expect(await findNames(await setUpLibrary(), query)).toEqual(names);
  });

  it("filters the files that are asked for by id", async () => {
    const account = await setUpLibrary();
    const ids = (await find(account, "")).media.map(({ id }) => id);
    expect(await findNames(account, `ids=${ids.join(",")}&kind=video`)).toEqual(["engine.mp4"]);
  });

  it("each page is full unless it is the last", async () => {
    const account = await signUp();
    for (let i = 0; i < 7; i++) await register(account, { name: `${i}`, tags: i % 2 === 0 ? ["even"] : ["odd"] });
    const pages: (string | null)[][] = [];
    for (let cursor = ""; ; ) {
      const { media, next } = await find(account, `tag=even&limit=2${cursor}`);
      pages.push(media.map(({ name }) => name));
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    expect(pages).toEqual([
      ["6", "4"],
      ["2", "0"],
    ]);
  });

  it("does not find deleted files, or those of another workspace", async () => {
    const account = await signUp();
    const { id } = await uploadImage(account);
    await patch(account, id, { name: "gone" });
    await setUpLibrary();
    expect(await findNames(account, "q=gone")).toEqual(["gone"]);
    await call("DELETE", `/v1/media/${id}`, { token: account.key });
    expect(await findNames(account, "kind=image")).toEqual([]);
  });
});

describe("a thumbnail", () => {
  it("is a WebP of at most 320 pixels, made once, and served from our own address", async () => {
    const account = await signUp();
    const { id } = await upload(account, new Uint8Array(makePng(900, 450, 7)), "image/png");
    const { thumbnail_url: url } = await getMedia(account, id);
    expect(url).toBe(`http://media.crier.test/m/${account.workspace}/thumbnail/${id}/file.webp`);
    const first = await fetchFile(url);
    expect([first.status, first.headers.get("content-type")]).toEqual([200, "image/webp"]);
    const bytes = new Uint8Array(await first.arrayBuffer());
    expect(String.fromCharCode(...bytes.subarray(8, 12))).toBe("WEBP");
    const second = await fetchFile(url, { "if-none-match": first.headers.get("etag") ?? "" });
    expect(second.status).toBe(304);
    const objects = await testEnv.MEDIA?.list({ prefix: `m/${account.workspace}/converted/` });
    expect(objects?.objects).toHaveLength(1);
  });

  it("does not count against the plan", async () => {
    const account = await signUp();
    const { id, bytes } = await uploadImage(account);
    await (await fetchFile((await getMedia(account, id)).thumbnail_url)).arrayBuffer();
    const { body } = await call<{ media_bytes: { used: number } }>("GET", "/v1/usage", { token: account.key });
    expect(body.media_bytes.used).toBe(bytes);
  });

  it("follows its file: another upload has another thumbnail, and a deleted file has none", async () => {
    const account = await signUp();
    const { id } = await upload(account, new Uint8Array(makePng(64, 48, 7)), "image/png");
    const { thumbnail_url: url } = await getMedia(account, id);
    const first = await (await fetchFile(url)).arrayBuffer();
    await testEnv.MEDIA?.put(`m/${account.workspace}/${id}`, new Uint8Array(makePng(64, 48, 190)));
    const second = await (await fetchFile(url)).arrayBuffer();
    expect(new Uint8Array(second)).not.toEqual(new Uint8Array(first));
    await call("DELETE", `/v1/media/${id}`, { token: account.key });
    expect((await fetchFile(url)).status).toBe(404);
  });

  it.each([
    ["a video", async (account: Account) => (await uploadVideo(account, 1_000)).id],
    ["a file at an address", async (account: Account) => (await register(account, {})).id],
  ])("%s has no thumbnail", async (_, add) => {
    const account = await signUp();
    expect((await getMedia(account, await add(account))).thumbnail_url).toBeNull();
  });

  it("an upload that is no image has no thumbnail", async () => {
    const account = await signUp();
    const { id } = await upload(account, new Uint8Array(new TextEncoder().encode("no image")), "image/png");
    expect((await fetchFile((await getMedia(account, id)).thumbnail_url)).status).toBe(404);
  });
});
