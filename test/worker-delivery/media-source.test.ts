// The files that go out: those without a length pass through a copy, and what was checked is what is published.

import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { makePng } from "../../scripts/local/png.ts";
import { compose } from "../../src/compose.ts";
import { openMedia } from "../../src/delivery/media-source.ts";
import { NO_TRIES, type Tries } from "../../src/domain/rate-limit.ts";
import { deleteDiscardedObjects } from "../../src/maintenance/expire-media.ts";
import { networkOf } from "../../src/networks/index.ts";
import { mediaByIds } from "../../src/store/media/media.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import type { Asked, Hosted } from "../support/file-host.ts";
import { mp4 } from "../support/media-files.ts";
import { type Account, call, connect, finished, ledger, post, signUp, unique, upload } from "../support/world.ts";

const MIB = 1024 * 1024;
const VIDEO = mp4({ width: 320, height: 240, seconds: 3 });
const PNG = new Uint8Array(makePng(64, 48, 1));

const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

/** Puts a file at an address of its own. */
async function host(head: Uint8Array, more: Partial<Hosted> = {}, name = unique("/f")) {
  const file: Hosted = { head: base64(head), bytes: head.byteLength, length: false, ranges: false, ...more };
  const url = `${testEnv.FILE_HOST}${name}`;
  expect((await fetch(url, { method: "PUT", body: JSON.stringify(file) })).status).toBe(204);
  const asked = async () => (await fetch(`${testEnv.FILE_HOST}/_${name}`)).json<Asked>();
  return { url, name, asked };
}

async function register({ key }: Account, url: string, kind: "image" | "video"): Promise<string> {
  const answer = await call<{ id: string }>("POST", "/v1/media", { token: key, body: { url, kind } });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const copies = async ({ workspace }: Account) =>
  ((await testEnv.MEDIA?.list({ prefix: `m/${workspace}/dlv_` }))?.objects ?? []).map(({ key }) => key);
const notes = async ({ workspace }: Account) =>
  (
    await testEnv.DB.prepare("SELECT object_key, next_at FROM discarded_objects WHERE workspace_id = ?")
      .bind(workspace)
      .all<{ object_key: string; next_at: number }>()
  ).results;

/** As a delivery opens its files, without sending them. */
async function open(account: Account, media: string, { platform = "telegram", env = testEnv, delivery = "" } = {}) {
  const ctx = compose(env, (work) => createExecutionContext().waitUntil(work));
  const network = networkOf(platform);
  if (network === undefined) throw new Error(`no network ${platform}`);
  const rows = await mediaByIds(ctx.databaseOf(account.workspace), account.workspace, [media]);
  const use = { rule: network.rule, deliveryId: delivery || `dlv_${"0".repeat(26)}`, inspectOnly: false };
  const [file] = await openMedia(ctx, [media], rows, use);
  if (file === undefined) throw new Error("no file was opened");
  return file;
}

describe("a file whose host the workspace has called too often", () => {
  it("waits, uses up no retry, and goes out afterwards", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    // Loopback addresses are not counted; this name of them is.
    const { url, asked } = await host(PNG, { length: true });
    const media = await register(account, url.replace("127.0.0.1", "localhost"), "image");
    const counter = testEnv.COUNTER.getByName(`host_workspace:${account.workspace} localhost`);
    await runInDurableObject(counter, (_, { storage }) => {
      storage.kv.put<Tries>("tries", { ...NO_TRIES, at: Array(120).fill(Date.now()) });
    });
    const { id } = await post(account.key, { text: "x", media: [media], channels: [channel.id] });
    const row = () =>
      testEnv.DB.prepare("SELECT state, retries, attempts, next_at FROM deliveries WHERE post_id = ?")
        .bind(id)
        .first<{ state: string; next_at: number }>();
    await eventually(async () => expect(await row()).toMatchObject({ state: "staged", retries: 0, attempts: 0 }));
    expect((await row())?.next_at).toBeGreaterThan(Date.now());
    expect((await asked()).requests).toEqual([]);
    await counter.clear();
    expect((await finished(account.key, id)).deliveries).toMatchObject([{ status: "live", attempts: 1 }]);
    expect((await asked()).requests.length).toBeGreaterThan(0);
  });
});

describe("a file whose address names no length", () => {
  it.each([
    ["shorter than a part", 300_000],
    ["of several parts, the last one shorter", 6 * MIB + 5],
    ["of whole parts", 5 * MIB],
  ])("%s goes out whole, and its copy goes when the delivery has ended", async (_, bytes) => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { url } = await host(VIDEO, { bytes });
    const media = await register(account, url, "video");
    const { id } = await post(account.key, { text: "x", media: [media], channels: [channel.id] });
    const { deliveries } = await finished(account.key, id);
    expect(deliveries).toMatchObject([{ status: "live" }]);
    const [published] = await ledger(channel.handle);
    expect(published?.media).toMatchObject([{ bytes, type: "video/mp4" }]);
    await eventually(async () => expect(await copies(account)).toEqual([]));
    // What a crash would have left is noted all the same.
    expect(await notes(account)).toHaveLength(1);
  });

  it("is never held: it is copied part by part", async () => {
    const account = await signUp();
    const { url } = await host(VIDEO, { bytes: 12 * MIB });
    const media = await register(account, url, "video");
    const parts: number[] = [];
    const bucket = new Proxy(testEnv.MEDIA ?? expect.fail(), {
      get: (target, name) => {
        if (name !== "createMultipartUpload") return Reflect.get(target, name).bind(target);
        return async (...given: Parameters<R2Bucket["createMultipartUpload"]>) => {
          const upload = await target.createMultipartUpload(...given);
          return {
            uploadPart: (number: number, part: Uint8Array) => {
              parts.push(part.byteLength);
              return upload.uploadPart(number, part);
            },
            complete: (all: R2UploadedPart[]) => upload.complete(all),
            abort: () => upload.abort(),
          };
        };
      },
    });
    const file = await open(account, media, { env: { ...testEnv, MEDIA: bucket } });
    expect(parts).toEqual([5 * MIB, 5 * MIB, 2 * MIB]);
    expect(file).toMatchObject({ bytes: 12 * MIB, contentType: "video/mp4", width: 320, height: 240, seconds: 3 });
  });

  it("is asked for once for all attempts of a delivery, and once more for another one", async () => {
    const account = await signUp();
    const { url, asked, name } = await host(VIDEO, { bytes: 200_000 });
    const media = await register(account, url, "video");
    const first = await open(account, media);
    await host(VIDEO, { bytes: 300_000 }, name);
    const again = await open(account, media);
    expect([first.bytes, again.bytes]).toEqual([200_000, 200_000]);
    expect(again.url).toBe(first.url);
    expect((await open(account, media, { delivery: `dlv_${"1".repeat(26)}` })).bytes).toBe(300_000);
    // Each attempt hears first that there is no length; only a copy is read.
    expect((await asked()).requests).toHaveLength(5);
  });

  it("longer than the network takes is refused before it is read to its end, and leaves nothing", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { url, asked } = await host(PNG, { bytes: 200 * MIB });
    const media = await register(account, url, "image");
    const { id } = await post(account.key, { text: "x", media: [media], channels: [channel.id] });
    const { deliveries } = await finished(account.key, id);
    expect(deliveries).toMatchObject([{ status: "failed", error: "media_refused" }]);
    const row = await testEnv.DB.prepare("SELECT detail FROM deliveries WHERE post_id = ?").bind(id).first("detail");
    expect(row).toMatch(/^file 1 \(med_\w+\) has more than the \d+ bytes that can be taken$/);
    expect(await copies(account)).toEqual([]);
    await eventually(async () => expect((await asked()).broken).toBe(2));
  });

  it("that is no file of its kind is refused, and leaves nothing", async () => {
    const account = await signUp();
    const { url } = await host(PNG, { bytes: 6 * MIB });
    const media = await register(account, url, "video");
    await expect(open(account, media)).rejects.toMatchObject({
      message: `file 1 (${media}) is not a video we know`,
      retry: false,
      error: "media_missing",
    });
    expect(await copies(account)).toEqual([]);
  });

  it("is refused with the reason where there is no bucket", async () => {
    const account = await signUp();
    const { url } = await host(VIDEO, { bytes: 200_000 });
    const media = await register(account, url, "video");
    await expect(open(account, media, { env: { ...testEnv, MEDIA: undefined } })).rejects.toMatchObject({
      message: expect.stringContaining("no bucket to copy it to: serve it with Content-Length"),
      retry: false,
      error: "media_missing",
    });
  });

  it("leaves a copy that a crash forgot to the sweep, which spares one that is used again", async () => {
    const account = await signUp();
    const { url } = await host(VIDEO, { bytes: 200_000 });
    const media = await register(account, url, "video");
    const ctx = compose(testEnv, () => {});
    const age = () =>
      testEnv.DB.prepare("UPDATE discarded_objects SET next_at = next_at - 90000000 WHERE workspace_id = ?")
        .bind(account.workspace)
        .run();
    await open(account, media);
    await age();
    await open(account, media);
    await deleteDiscardedObjects(ctx, ctx.databaseOf(account.workspace));
    expect(await copies(account)).toHaveLength(1);
    await age();
    await deleteDiscardedObjects(ctx, ctx.databaseOf(account.workspace));
    expect(await copies(account)).toEqual([]);
    expect(await notes(account)).toEqual([]);
  });
});

describe("a file at an address that names its length", () => {
  it.each([
    ["its length", { bytes: 300_000 }],
    ["its strong ETag", { headers: { etag: '"two"' } }],
    ["when it was modified", { headers: { etag: '"one"', "last-modified": "Sat, 21 Nov 2026 12:00:00 GMT" } }],
  ])("that is another one by %s is not published", async (_, change) => {
    const account = await signUp();
    const headers = { etag: '"one"', "last-modified": "Fri, 20 Nov 2026 12:00:00 GMT" };
    const one = { bytes: 200_000, length: true, ranges: true, headers };
    const { url, name } = await host(VIDEO, one);
    const media = await register(account, url, "video");
    const file = await open(account, media);
    await (await file.open()).cancel();
    await (await file.open({ offset: 100, length: 50 })).cancel();
    await host(VIDEO, { ...one, ...change }, name);
    const changed = { message: `file 1 (${media}) was changed at its address while it was read`, retry: false };
    await expect(file.open()).rejects.toMatchObject(changed);
    await expect(file.open({ offset: 100, length: 50 })).rejects.toMatchObject(changed);
  });

  it("is not copied", async () => {
    const account = await signUp();
    const { url } = await host(VIDEO, { bytes: 6 * MIB, length: true });
    await open(account, await register(account, url, "video"));
    expect(await copies(account)).toEqual([]);
    expect(await notes(account)).toEqual([]);
  });
});

describe("an uploaded file that is swapped by a second upload of the same length", () => {
  const other = new Uint8Array(PNG).fill(7, PNG.length - 20);
  const swap = ({ workspace }: Account, id: string, bytes: Uint8Array<ArrayBuffer> = other) =>
    testEnv.MEDIA?.put(`m/${workspace}/${id}`, bytes, { httpMetadata: { contentType: "image/png" } });
  const soon = () => new Date(Date.now() + 86_400_000).toISOString();
  const due = (id: string) =>
    testEnv.DB.batch([
      testEnv.DB.prepare("UPDATE deliveries SET scheduled_for = ?1, next_at = ?1 WHERE post_id = ?2").bind(
        Date.now(),
        id,
      ),
      testEnv.DB.prepare("UPDATE posts SET due_at = ?1, publish_at = ?1 WHERE id = ?2").bind(Date.now(), id),
    ]);

  it("after the check of its post is not published, and the delivery has the reason", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const file = await upload(account, PNG, "image/png");
    const body = { text: "x", media: [file.id], channels: [channel.id], publish_at: soon() };
    const { id } = await post(account.key, body);
    await swap(account, file.id);
    const other = await post(account.key, { text: "y", channels: [channel.id] });
    await due(id);
    // Whatever is published on the channel has its clock look at what is due.
    await post(account.key, { text: "z", channels: [channel.id] });
    await finished(account.key, other.id);
    const { deliveries } = await finished(account.key, id);
    expect(deliveries).toMatchObject([{ status: "failed", error: "media_missing" }]);
    const detail = await testEnv.DB.prepare("SELECT detail FROM deliveries WHERE post_id = ?").bind(id).first("detail");
    expect(detail).toBe(`file 1 (${file.id}) was changed after it was checked`);
    expect((await ledger(channel.handle)).flatMap(({ media }) => media)).toEqual([]);
  });

  it("is refused when a post names it or is edited, and taken again once it is what it was", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const file = await upload(account, PNG, "image/png");
    const body = { text: "x", media: [file.id], channels: [channel.id], publish_at: soon() };
    const { id } = await post(account.key, body);
    await swap(account, file.id);
    const refusal = {
      status: 422,
      body: {
        error: "unknown_media",
        field: "/media/0",
        message: "The stored file was changed after it was checked.",
        hint: "Upload it again as a new file, and name that one.",
      },
    };
    const send = (more: object) => call("POST", "/v1/posts", { token: account.key, body: { ...body, ...more } });
    expect(await send({})).toMatchObject(refusal);
    expect(await send({ dry_run: true })).toMatchObject(refusal);
    const edit = () => call("PATCH", `/v1/posts/${id}`, { token: account.key, body: { text: "y" } });
    expect(await edit()).toMatchObject(refusal);
    await swap(account, file.id, PNG);
    expect(await edit()).toMatchObject({ status: 200 });
  });

  it("between its inspection and the writing of the post is not taken for the file", async () => {
    const account = await signUp();
    const file = await upload(account, PNG, "image/png");
    const rival = await upload(account, PNG, "image/png");
    // A rival post has fixed another content of the file by the time this one is written.
    const racing = new Proxy(testEnv.MEDIA ?? expect.fail(), {
      get: (target, name) => {
        if (name !== "get") return Reflect.get(target, name).bind(target);
        return async (...given: Parameters<R2Bucket["get"]>) => {
          const found = await target.get(...given);
          await testEnv.DB.prepare("UPDATE media SET etag = 'another' WHERE id = ?").bind(file.id).run();
          return found;
        };
      },
    });
    await expect(open(account, file.id, { env: { ...testEnv, MEDIA: racing } })).rejects.toMatchObject({
      message: `file 1 (${file.id}) was changed after it was checked`,
      retry: false,
    });
    expect((await open(account, rival.id)).bytes).toBe(PNG.length);
  });

  it("is fixed by the first attempt to publish it where it had not been uploaded at the check", async () => {
    const account = await signUp();
    const file = await upload(account, PNG, "image/png");
    const opened = await open(account, file.id);
    await swap(account, file.id);
    await expect(opened.open()).rejects.toMatchObject({ retry: false });
    await expect(open(account, file.id)).rejects.toMatchObject({
      message: `file 1 (${file.id}) was changed after it was checked`,
    });
  });

  it("is not found at the address that networks were given", async () => {
    const account = await signUp();
    const file = await upload(account, PNG, "image/png");
    const { url } = await open(account, file.id);
    const answer = async () => (await exports.default.fetch(new Request(url, { method: "HEAD" }))).status;
    expect(new URL(url).search).toMatch(/^\?etag=[0-9a-f]{32}$/);
    expect(await answer()).toBe(200);
    await swap(account, file.id);
    expect(await answer()).toBe(404);
  });
});

describe("an uploaded file whose bucket does not answer", () => {
  it("is said to be unreadable for now, so that a call that needs it is known not to have left", async () => {
    const account = await signUp();
    const { id } = await upload(account, PNG, "image/png");
    const { MEDIA } = testEnv;
    if (MEDIA === undefined) throw new Error("there is no bucket");
    let isDown = false;
    const bucket = new Proxy(MEDIA, {
      get(of, name: keyof R2Bucket) {
        if (name === "get" && isDown) return () => Promise.reject(new Error("get: We encountered an internal error."));
        return of[name].bind(of);
      },
    });
    const file = await open(account, id, { env: { ...testEnv, MEDIA: bucket } });
    isDown = true;
    const trouble = { message: `file 1 (${id}) could not be read from the bucket`, retry: true };
    await expect(file.open()).rejects.toMatchObject(trouble);
    await expect(file.open({ offset: 0, length: 10 })).rejects.toMatchObject(trouble);
    isDown = false;
    expect(new Uint8Array(await new Response(await file.open()).arrayBuffer())).toEqual(PNG);
  });
});
