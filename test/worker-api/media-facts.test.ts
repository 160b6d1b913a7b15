// What is known of a stored file decides about the post that names it, before anything is published.
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { makePng } from "../../scripts/local/png.ts";
import type { Media } from "../../src/contract/media.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { jpeg, mp4, webm } from "../support/media-files.ts";
import { type Account, call, connect, finished, ledger, post, signUp, upload, uploadImage } from "../support/world.ts";

const TABLES = ["posts", "deliveries", "media", "media_uses", "usage_months", "idempotency_keys", "events"];

async function digest(workspace: string): Promise<string> {
  const found = await testEnv.DB.batch(
    TABLES.map((name) => testEnv.DB.prepare(`SELECT * FROM ${name} WHERE workspace_id = ?`).bind(workspace)),
  );
  return JSON.stringify(found.map(({ results }) => results));
}

const media = async ({ key }: Account, id: string) =>
  (await call<z.output<typeof Media>>("GET", `/v1/media/${id}`, { token: key })).body;

interface Refused {
  error: string;
  violations?: Record<string, unknown>[];
}

/** The refusal of a post: a dry run and the real call must agree to the byte, and neither leaves a trace. */
async function refused(account: Account, body: object) {
  const before = await digest(account.workspace);
  const send = (more: object) => call<Refused>("POST", "/v1/posts", { token: account.key, body: { ...body, ...more } });
  const neutral = (answer: object) => JSON.stringify(answer).replace(/req_\w+/, "");
  const dry = await send({ dry_run: true });
  const real = await send({});
  expect(dry.status).toBe(422);
  expect(neutral(dry.body)).toBe(neutral(real.body));
  expect(await digest(account.workspace)).toBe(before);
  return real.body.violations;
}

/** Asks for an upload, and puts something else there. */
async function uploadOther(account: Account, declared: object, bytes: Uint8Array<ArrayBuffer>, contentType: string) {
  const requested = await call<{ media: { id: string } }>("POST", "/v1/media/upload-url", {
    token: account.key,
    body: declared,
  });
  const { id } = requested.body.media;
  await testEnv.MEDIA?.put(`m/${account.workspace}/${id}`, bytes, { httpMetadata: { contentType } });
  return { id };
}

describe("a post is refused for what its stored files are", () => {
  it("an image with too many pixels, or too long a side", async () => {
    const account = await signUp();
    const telegram = await connect(account.key, "telegram");
    const [wide, large, turned] = [
      await upload(account, jpeg(2_100, 100), "image/jpeg"),
      await upload(account, jpeg(6_000, 4_001), "image/jpeg"),
      await upload(account, jpeg(4_000, 150, 6), "image/jpeg"),
    ];
    const files = [wide.id, large.id, turned.id];
    const violations = await refused(account, { media: files, channels: [telegram.id] });
    expect(violations).toMatchObject([
      { code: "media_dimensions_not_allowed", field: "/media/0", channel: telegram.id, limit: 20, actual: 21 },
      { code: "media_dimensions_not_allowed", field: "/media/1", limit: 10_000, actual: 10_001 },
      { code: "media_dimensions_not_allowed", field: "/media/2", limit: 20 },
    ]);
    expect(violations?.[2]?.message).toContain("150 × 4000");
  });

  it.each([
    ["video/mp4", mp4({ width: 320, height: 240, seconds: 600.5 })],
    ["video/quicktime", mp4({ width: 320, height: 240, seconds: 600.5 }, { brand: "qt  ", first: false })],
    ["video/webm", webm({ width: 320, height: 240, seconds: 600.5 })],
  ])("a %s that is too long", async (type, bytes) => {
    const account = await signUp();
    const bluesky = await connect(account.key, "bluesky");
    const file = await upload(account, bytes, type);
    const text = "x";
    expect(await refused(account, { text, media: [file.id], channels: [bluesky.id] })).toMatchObject([
      { code: "media_too_long", field: "/media/0", limit: 600, actual: 600.5, unit: "seconds" },
    ]);
    const overrides = { [bluesky.id]: { media: [file.id] } };
    expect(await refused(account, { text, channels: [bluesky.id], overrides })).toMatchObject([
      { code: "media_too_long", field: `/overrides/${bluesky.id}/media/0` },
    ]);
  });

  it("a file that differs from its declaration, wherever the post names it", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const png = new Uint8Array(makePng(64, 48, 0));
    const declared = { content_type: "image/png", bytes: png.length };
    const fine = await upload(account, png, "image/png");
    const shorter = await uploadOther(account, declared, png.slice(0, 50), "image/png");
    const other = await uploadOther(account, declared, png, "text/html");
    const html = new Uint8Array(new TextEncoder().encode("<script>alert(1)</script>".padEnd(png.length)));
    const disguised = await uploadOther(account, declared, html, "image/png");
    const again = { code: "media_format_not_allowed", hint: "Upload it again." };
    const violations = await refused(account, {
      text: "x",
      media: [fine.id, shorter.id, other.id, disguised.id],
      channels: [channel.id],
      overrides: { [channel.id]: { media: [disguised.id, fine.id] } },
    });
    expect(violations).toMatchObject([
      { ...again, field: "/media/1", message: "The stored file is not what was declared for it." },
      { ...again, field: "/media/2" },
      { ...again, field: "/media/3", message: "The stored file does not hold image/png." },
      { ...again, field: `/overrides/${channel.id}/media/0` },
    ]);
  });

  it("when it is edited", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
    const file = await upload(account, mp4({ width: 320, height: 240, seconds: 3_600 }), "video/mp4");
    const before = await digest(account.workspace);
    expect(await call("PATCH", `/v1/posts/${id}`, { token: account.key, body: { media: [file.id] } })).toMatchObject({
      status: 422,
      body: { error: "media_too_long", field: "/media/0" },
    });
    expect(await digest(account.workspace)).toBe(before);
  });
});

describe("a post that is accepted", () => {
  it("stores the inspected properties of its files, unlike a dry run", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const [image, video] = [
      await upload(account, jpeg(640, 480, 8), "image/jpeg"),
      await upload(account, mp4({ width: 320, height: 240, seconds: 12.345, rotation: 90 }), "video/mp4"),
    ];
    const body = { text: "x", media: [image.id, video.id], channels: [channel.id], publish_at: tomorrow() };
    const unknown = { state: "awaiting_upload", width: null, height: null, seconds: null };
    const before = await digest(account.workspace);
    const dry = await call("POST", "/v1/posts", { token: account.key, body: { ...body, dry_run: true } });
    expect(dry.status).toBe(200);
    expect(await digest(account.workspace)).toBe(before);
    expect(await media(account, video.id)).toMatchObject(unknown);
    await post(account.key, body);
    expect(await media(account, image.id)).toMatchObject({ state: "ready", width: 480, height: 640, seconds: null });
    expect(await media(account, video.id)).toMatchObject({ state: "ready", width: 240, height: 320, seconds: 12.345 });
  });

  it("stores the properties of its files when it is edited, too", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
    const image = await uploadImage(account, { width: 33, height: 44 });
    const edited = await call("PATCH", `/v1/posts/${id}`, { token: account.key, body: { media: [image.id] } });
    expect(edited.status).toBe(200);
    expect(await media(account, image.id)).toMatchObject({ state: "ready", width: 33, height: 44 });
  });

  it("may name a file that has not been uploaded yet", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const requested = await call<{ media: { id: string } }>("POST", "/v1/media/upload-url", {
      token: account.key,
      body: { content_type: "image/png", bytes: 1_000 },
    });
    const { id } = requested.body.media;
    await post(account.key, { media: [id], channels: [channel.id], publish_at: tomorrow() });
    expect(await media(account, id)).toMatchObject({ state: "awaiting_upload", width: null });
  });

  it("may name a file whose headers have no information", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const file = await upload(account, mp4({ width: 0, height: 0, seconds: 0 }), "video/mp4");
    await post(account.key, { text: "x", media: [file.id], channels: [channel.id], publish_at: tomorrow() });
    expect(await media(account, file.id)).toMatchObject({ state: "ready", width: null, height: null, seconds: null });
  });

  it("with many files is checked against each of them", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const files = [];
    for (let i = 0; i < 10; i++) files.push(await upload(account, jpeg(i === 7 ? 9_999 : 640, 480), "image/jpeg"));
    const violations = await refused(account, { media: files.map(({ id }) => id), channels: [channel.id] });
    expect(violations?.map(({ field }) => field)).toEqual(["/media/7", "/media/7"]);
  });
});

describe("when a post goes out", () => {
  it("a file at an address that breaks the network's rule is not sent, and the failure names it", async () => {
    const account = await signUp();
    const [bluesky, telegram] = [await connect(account.key, "bluesky"), await connect(account.key, "telegram")];
    const image = await uploadImage(account, { width: 420, height: 20 });
    const shown = await post(account.key, { media: [image.id], channels: [bluesky.id] });
    expect((await finished(account.key, shown.id)).status).toBe("published");
    const registered = await call<{ id: string }>("POST", "/v1/media", {
      token: account.key,
      body: { url: `${testEnv.SIMULATORS}/_sim/media/${image.sha256}`, kind: "image" },
    });
    const { id } = await post(account.key, { media: [registered.body.id], channels: [telegram.id] });
    const { deliveries } = await finished(account.key, id);
    expect(deliveries[0]).toMatchObject({ error: "media_refused", attempts: 0 });
    const detail = await testEnv.DB.prepare("SELECT * FROM deliveries WHERE post_id = ?").bind(id).first();
    expect(JSON.stringify(detail)).toContain(`file 1 (${registered.body.id}): telegram accepts at most 20 times`);
    expect(await ledger(telegram.handle)).toHaveLength(0);
  });

  it("of a video at an address as much is read as tells its length", async () => {
    const account = await signUp();
    const [bluesky, telegram] = [await connect(account.key, "bluesky"), await connect(account.key, "telegram")];
    const bytes = mp4({ width: 320, height: 240, seconds: 601 }, { first: false, bytes: 400_000 });
    const video = await upload(account, bytes, "video/mp4");
    const shown = await post(account.key, { media: [video.id], channels: [telegram.id] });
    expect((await finished(account.key, shown.id)).status).toBe("published");
    const registered = await call<{ id: string }>("POST", "/v1/media", {
      token: account.key,
      body: { url: `${testEnv.SIMULATORS}/_sim/media/${video.sha256}`, kind: "video" },
    });
    const { id } = await post(account.key, { text: "x", media: [registered.body.id], channels: [bluesky.id] });
    expect((await finished(account.key, id)).deliveries[0]).toMatchObject({ error: "media_refused", attempts: 0 });
    const detail = await testEnv.DB.prepare("SELECT * FROM deliveries WHERE post_id = ?").bind(id).first();
    expect(JSON.stringify(detail)).toContain(`file 1 (${registered.body.id}): bluesky accepts at most 600 seconds`);
  });
});
