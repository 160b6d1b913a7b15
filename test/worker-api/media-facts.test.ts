// The properties of a stored file decide about a post that names it, before anything is published.
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { makePng } from "../../scripts/local/png.ts";
import type { Media } from "../../src/contract/media.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { jpeg, mp4, webm } from "../support/media-files.ts";
import { type Account, call, connect, finished, ledger, post, signUp, upload, uploadImage } from "../support/world.ts";

const TABLES = ["posts", "deliveries", "media", "media_uses", "usage_months", "idempotency_keys", "events"];

async function readDigest(workspace: string): Promise<string> {
  const tables = await testEnv.DB.batch(
    TABLES.map((name) => testEnv.DB.prepare(`SELECT * FROM ${name} WHERE workspace_id = ?`).bind(workspace)),
  );
  return JSON.stringify(tables.map(({ results }) => results));
}

const getMedia = async ({ key }: Account, id: string) =>
  (await call<z.output<typeof Media>>("GET", `/v1/media/${id}`, { token: key })).body;

interface RefusalBody {
  error: string;
  violations?: Record<string, unknown>[];
}

/**
 * Sends a post that must be refused. A dry run and the real call must have the same answer, and neither may write
 * anything.
 */
async function expectRefusal(account: Account, body: object) {
  const before = await readDigest(account.workspace);
  const send = (fields: object) =>
    call<RefusalBody>("POST", "/v1/posts", { token: account.key, body: { ...body, ...fields } });
  const neutral = (answer: object) => JSON.stringify(answer).replace(/req_\w+/, "");
  const dry = await send({ dry_run: true });
  const real = await send({});
  expect(dry.status).toBe(422);
  expect(neutral(dry.body)).toBe(neutral(real.body));
  expect(await readDigest(account.workspace)).toBe(before);
  return real.body.violations;
}

/** Announces an upload, and stores other content in its place. */
async function uploadOther(account: Account, declared: object, bytes: Uint8Array<ArrayBuffer>, contentType: string) {
  const requested = await call<{ media: { id: string } }>("POST", "/v1/media/upload-url", {
    token: account.key,
    body: declared,
  });
  const { id } = requested.body.media;
  await testEnv.MEDIA?.put(`m/${account.workspace}/${id}`, bytes, { httpMetadata: { contentType } });
  return { id };
}

describe("a post with stored files that break a rule", () => {
  it("a post is refused for an image with too many pixels or too long a side", async () => {
    const account = await signUp();
    const telegram = await connect(account.key, "telegram");
    const [wide, large, turned] = [
      await upload(account, jpeg(2_100, 100), "image/jpeg"),
      await upload(account, jpeg(6_000, 4_001), "image/jpeg"),
      await upload(account, jpeg(4_000, 150, 6), "image/jpeg"),
    ];
    const files = [wide.id, large.id, turned.id];
    const violations = await expectRefusal(account, { media: files, channels: [telegram.id] });
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
  ])("a post is refused for a %s that is too long", async (type, bytes) => {
    const account = await signUp();
    const bluesky = await connect(account.key, "bluesky");
    const file = await upload(account, bytes, type);
    const text = "x";
    expect(await expectRefusal(account, { text, media: [file.id], channels: [bluesky.id] })).toMatchObject([
      { code: "media_too_long", field: "/media/0", limit: 600, actual: 600.5, unit: "seconds" },
    ]);
    const overrides = { [bluesky.id]: { media: [file.id] } };
    expect(await expectRefusal(account, { text, channels: [bluesky.id], overrides })).toMatchObject([
      { code: "media_too_long", field: `/overrides/${bluesky.id}/media/0` },
    ]);
  });

  it("a post is refused for a file that differs from its declaration, wherever the post names it", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const png = new Uint8Array(makePng(64, 48, 0));
    const declared = { content_type: "image/png", bytes: png.length };
    const fine = await upload(account, png, "image/png");
    const shorter = await uploadOther(account, declared, png.slice(0, 50), "image/png");
    const wrongType = await uploadOther(account, declared, png, "text/html");
    const html = new Uint8Array(new TextEncoder().encode("<script>alert(1)</script>".padEnd(png.length)));
    const disguised = await uploadOther(account, declared, html, "image/png");
    const again = { code: "media_format_not_allowed", hint: "Upload it again." };
    const violations = await expectRefusal(account, {
      text: "x",
      media: [fine.id, shorter.id, wrongType.id, disguised.id],
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

  it("an edit is refused for a file that is too long", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
    const file = await upload(account, mp4({ width: 320, height: 240, seconds: 3_600 }), "video/mp4");
    const before = await readDigest(account.workspace);
    expect(await call("PATCH", `/v1/posts/${id}`, { token: account.key, body: { media: [file.id] } })).toMatchObject({
      status: 422,
      body: { error: "media_too_long", field: "/media/0" },
    });
    expect(await readDigest(account.workspace)).toBe(before);
  });
});

describe("a post that is accepted", () => {
  it("an accepted post stores the inspected properties of its files, unlike a dry run", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const [image, video] = [
      await upload(account, jpeg(640, 480, 8), "image/jpeg"),
      await upload(account, mp4({ width: 320, height: 240, seconds: 12.345, rotation: 90 }), "video/mp4"),
    ];
    const body = { text: "x", media: [image.id, video.id], channels: [channel.id], publish_at: tomorrow() };
    const unknown = { state: "awaiting_upload", width: null, height: null, seconds: null };
    const before = await readDigest(account.workspace);
    const dry = await call("POST", "/v1/posts", { token: account.key, body: { ...body, dry_run: true } });
    expect(dry.status).toBe(200);
    expect(await readDigest(account.workspace)).toBe(before);
    expect(await getMedia(account, video.id)).toMatchObject(unknown);
    await post(account.key, body);
    expect(await getMedia(account, image.id)).toMatchObject({ state: "ready", width: 480, height: 640, seconds: null });
    expect(await getMedia(account, video.id)).toMatchObject({
      state: "ready",
      width: 240,
      height: 320,
      seconds: 12.345,
    });
  });

  it("an accepted edit stores the inspected properties of its files, too", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
    const image = await uploadImage(account, { width: 33, height: 44 });
    const edited = await call("PATCH", `/v1/posts/${id}`, { token: account.key, body: { media: [image.id] } });
    expect(edited.status).toBe(200);
    expect(await getMedia(account, image.id)).toMatchObject({ state: "ready", width: 33, height: 44 });
  });

  it("a post may name a file that has not been uploaded yet", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const requested = await call<{ media: { id: string } }>("POST", "/v1/media/upload-url", {
      token: account.key,
      body: { content_type: "image/png", bytes: 1_000 },
    });
    const { id } = requested.body.media;
    await post(account.key, { media: [id], channels: [channel.id], publish_at: tomorrow() });
    expect(await getMedia(account, id)).toMatchObject({ state: "awaiting_upload", width: null });
  });

  it("a post may name a file whose headers have no information", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const file = await upload(account, mp4({ width: 0, height: 0, seconds: 0 }), "video/mp4");
    await post(account.key, { text: "x", media: [file.id], channels: [channel.id], publish_at: tomorrow() });
    expect(await getMedia(account, file.id)).toMatchObject({
      state: "ready",
      width: null,
      height: null,
      seconds: null,
    });
  });

  it("a post with many files is checked against each of them", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const files = [];
    for (let i = 0; i < 10; i++) files.push(await upload(account, jpeg(i === 7 ? 9_999 : 640, 480), "image/jpeg"));
    const violations = await expectRefusal(account, { media: files.map(({ id }) => id), channels: [channel.id] });
    expect(violations?.map(({ field }) => field)).toEqual(["/media/7", "/media/7"]);
  });
});

describe("a post that is being published", () => {
  it("a linked file that breaks the network's rule is not sent, and the failure names it", async () => {
    const account = await signUp();
    const [bluesky, telegram] = [await connect(account.key, "bluesky"), await connect(account.key, "telegram")];
    const image = await uploadImage(account, { width: 420, height: 20 });
    const accepted = await post(account.key, { media: [image.id], channels: [bluesky.id] });
    expect((await finished(account.key, accepted.id)).status).toBe("published");
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

  it("a linked video is read only as far as its length is known", async () => {
    const account = await signUp();
    const [bluesky, telegram] = [await connect(account.key, "bluesky"), await connect(account.key, "telegram")];
    const bytes = mp4({ width: 320, height: 240, seconds: 601 }, { first: false, bytes: 400_000 });
    const video = await upload(account, bytes, "video/mp4");
    const accepted = await post(account.key, { media: [video.id], channels: [telegram.id] });
    expect((await finished(account.key, accepted.id)).status).toBe("published");
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
