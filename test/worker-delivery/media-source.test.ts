// Files at URLs of other hosts: a file without a length is copied first.
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { compose } from "../../src/compose.ts";
import { NO_TRIES, type Tries } from "../../src/domain/rate-limit.ts";
import { deleteDiscardedObjects } from "../../src/maintenance/expire-media.ts";
import { DEPLOYED, testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import type { Asked, Hosted } from "../support/file-host.ts";
import { mp4 } from "../support/media-files.ts";
import { stubInternet } from "../support/stubbed-internet.ts";
import { type Account, call, connect, finished, ledger, post, signUp, unique } from "../support/world.ts";
import { openFile, PNG } from "./sent-files.ts";

const MIB = 1024 * 1024;
const VIDEO = mp4({ width: 320, height: 240, seconds: 3 });

const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

/** Hosts a file at a URL of its own. */
async function host(head: Uint8Array, fields: Partial<Hosted> = {}, name = unique("/f")) {
  const file: Hosted = { head: base64(head), bytes: head.byteLength, length: false, ranges: false, ...fields };
  const url = `${testEnv.FILE_HOST}${name}`;
  expect((await fetch(url, { method: "PUT", body: JSON.stringify(file) })).status).toBe(204);
  const getRequests = async () => (await fetch(`${testEnv.FILE_HOST}/_${name}`)).json<Asked>();
  return { url, name, asked: getRequests };
}

async function register({ key }: Account, url: string, kind: "image" | "video"): Promise<string> {
  const answer = await call<{ id: string }>("POST", "/v1/media", { token: key, body: { url, kind } });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

afterEach(() => vi.unstubAllGlobals());

const listCopies = async ({ workspace }: Account) =>
  ((await testEnv.MEDIA?.list({ prefix: `m/${workspace}/dlv_` }))?.objects ?? []).map(({ key }) => key);
const listDiscarded = async ({ workspace }: Account) =>
  (
    await testEnv.DB.prepare("SELECT object_key, next_at FROM discarded_objects WHERE workspace_id = ?")
      .bind(workspace)
      .all<{ object_key: string; next_at: number }>()
  ).results;

describe("a file whose host this workspace has called too often", () => {
  it("delays the delivery without using up a retry, and is published afterwards", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    // Calls of loopback addresses are not counted, but calls of the name `localhost` are.
    const { url, asked: readCalls } = await host(PNG, { length: true });
    const media = await register(account, url.replace("127.0.0.1", "localhost"), "image");
    const counter = testEnv.COUNTER.getByName(`calls:${account.workspace}`);
    await runInDurableObject(counter, (_, { storage }) => {
      storage.kv.put<Tries>("tries:localhost", { ...NO_TRIES, at: Array(120).fill(Date.now()) });
    });
    const { id } = await post(account.key, { text: "x", media: [media], channels: [channel.id] });
    const row = () =>
      testEnv.DB.prepare(
        "SELECT state, last_try, json_array_length(sends) AS sends, next_at FROM deliveries WHERE post_id = ?",
      )
        .bind(id)
        .first<{ state: string; next_at: number }>();
    await eventually(async () => expect(await row()).toMatchObject({ state: "staged", sends: 0 }));
    expect((await row())?.next_at).toBeGreaterThan(Date.now());
    expect((await readCalls()).requests).toEqual([]);
    await counter.clear();
    expect((await finished(account.key, id)).deliveries).toMatchObject([{ status: "live", attempts: 1 }]);
    expect((await readCalls()).requests.length).toBeGreaterThan(0);
  });
});

describe("a large file at a URL", () => {
  const bytes = 2 * MIB;
  const isCopied = async (hosted: Partial<Hosted>) => {
    const account = await signUp();
    const { url } = await host(VIDEO, { bytes, length: true, ...hosted });
    await openFile(account, await register(account, url, "video"));
    return (await listCopies(account)).length === 1;
  };

  it("is copied if its host does not support ranges, so that networks can read it in chunks", async () => {
    expect(await isCopied({ ranges: false })).toBe(true);
  });

  it("is streamed from its host if the host supports ranges, or if the file is small", async () => {
    expect(await isCopied({ ranges: true })).toBe(false);
    expect(await isCopied({ ranges: false, bytes: MIB })).toBe(false);
  });
});

describe("a file whose URL has no Content-Length", () => {
  it.each([
    ["shorter than a chunk", 300_000],
    ["of several chunks with a shorter last one", 6 * MIB + 5],
    ["of complete chunks", 5 * MIB],
  ])("is published completely if it is %s, and its copy is deleted when the delivery has ended", async (_, bytes) => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { url } = await host(VIDEO, { bytes });
    const media = await register(account, url, "video");
    const { id } = await post(account.key, { text: "x", media: [media], channels: [channel.id] });
    const { deliveries } = await finished(account.key, id);
    expect(deliveries).toMatchObject([{ status: "live" }]);
    const [published] = await ledger(channel.handle);
    expect(published?.media).toMatchObject([{ bytes, type: "video/mp4" }]);
    await eventually(async () => expect(await listCopies(account)).toEqual([]));
    // The copy is noted for deletion in any case, because a crash might leave it behind.
    expect(await listDiscarded(account)).toHaveLength(1);
  });

  it("is copied chunk by chunk and never held in memory", async () => {
    const account = await signUp();
    const { url } = await host(VIDEO, { bytes: 12 * MIB });
    const media = await register(account, url, "video");
    const chunkSizes: number[] = [];
    const bucket = new Proxy(testEnv.MEDIA ?? expect.fail(), {
      get: (target, name) => {
        if (name !== "createMultipartUpload") return Reflect.get(target, name).bind(target);
        return async (...input: Parameters<R2Bucket["createMultipartUpload"]>) => {
          const upload = await target.createMultipartUpload(...input);
          return {
            uploadPart: (number: number, chunk: Uint8Array) => {
              chunkSizes.push(chunk.byteLength);
              return upload.uploadPart(number, chunk);
            },
            complete: (chunks: R2UploadedPart[]) => upload.complete(chunks),
            abort: () => upload.abort(),
          };
        };
      },
    });
    const file = await openFile(account, media, { env: { ...testEnv, MEDIA: bucket } });
    expect(chunkSizes).toEqual([5 * MIB, 5 * MIB, 2 * MIB]);
    expect(file).toMatchObject({ bytes: 12 * MIB, contentType: "video/mp4", width: 320, height: 240, seconds: 3 });
  });

  it("is requested once for all attempts of a delivery, and again for another delivery", async () => {
    const account = await signUp();
    const { url, asked: readCalls, name } = await host(VIDEO, { bytes: 200_000 });
    const media = await register(account, url, "video");
    const first = await openFile(account, media);
    await host(VIDEO, { bytes: 300_000 }, name);
    const again = await openFile(account, media);
    expect([first.bytes, again.bytes]).toEqual([200_000, 200_000]);
    expect(again.url).toBe(first.url);
    expect((await openFile(account, media, { delivery: `dlv_${"1".repeat(26)}` })).bytes).toBe(300_000);
    // Each attempt first learns that there is no length. Only the copies read the whole file.
    expect((await readCalls()).requests).toHaveLength(5);
  });

  it("is rejected before it is read to its end if it is longer than the network accepts, without leaving a copy", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { url, asked: readCalls } = await host(PNG, { bytes: 200 * MIB });
    const media = await register(account, url, "image");
    const { id } = await post(account.key, { text: "x", media: [media], channels: [channel.id] });
    const { deliveries } = await finished(account.key, id);
    expect(deliveries).toMatchObject([{ status: "failed", error: "media_refused" }]);
    const row = await testEnv.DB.prepare("SELECT last_try ->> '$.detail' AS detail FROM deliveries WHERE post_id = ?")
      .bind(id)
      .first("detail");
    expect(row).toMatch(/^file 1 \(med_\w+\) has more than the \d+ bytes that can be taken$/);
    expect(await listCopies(account)).toEqual([]);
    await eventually(async () => expect((await readCalls()).broken).toBe(2));
  });

  it("is rejected without leaving a copy if its bytes are of another kind", async () => {
    const account = await signUp();
    const { url } = await host(PNG, { bytes: 6 * MIB });
    const media = await register(account, url, "video");
    await expect(openFile(account, media)).rejects.toMatchObject({
      message: `file 1 (${media}) is not a video we know`,
      retry: false,
      error: "media_missing",
    });
    expect(await listCopies(account)).toEqual([]);
  });

  it("is rejected with its own error if its host is an IP address, because Workers cannot call one", async () => {
    const account = await signUp();
    const media = await register(account, "https://8.8.8.8/a.png", "image");
    stubInternet(async () => expect.fail("nobody is called"));
    await expect(openFile(account, media, { env: { ...testEnv, ...DEPLOYED } })).rejects.toMatchObject({
      message: `file 1 (${media}) is at an IP address`,
      retry: false,
      error: "media_host_is_ip",
    });
  });

  it("is rejected with an explanation if there is no bucket", async () => {
    const account = await signUp();
    const { url } = await host(VIDEO, { bytes: 200_000 });
    const media = await register(account, url, "video");
    await expect(openFile(account, media, { env: { ...testEnv, MEDIA: undefined } })).rejects.toMatchObject({
      message: expect.stringContaining("no bucket to copy it to: serve it with Content-Length"),
      retry: false,
      error: "media_missing",
    });
  });

  it("leaves a copy after a crash that the sweep deletes, unless the copy is used again", async () => {
    const account = await signUp();
    const { url } = await host(VIDEO, { bytes: 200_000 });
    const media = await register(account, url, "video");
    const ctx = compose(testEnv, () => {});
    const age = () =>
      testEnv.DB.prepare("UPDATE discarded_objects SET next_at = next_at - 90000000 WHERE workspace_id = ?")
        .bind(account.workspace)
        .run();
    await openFile(account, media);
    await age();
    await openFile(account, media);
    await deleteDiscardedObjects(ctx, ctx.databaseOf(account.workspace));
    expect(await listCopies(account)).toHaveLength(1);
    await age();
    await deleteDiscardedObjects(ctx, ctx.databaseOf(account.workspace));
    expect(await listCopies(account)).toEqual([]);
    expect(await listDiscarded(account)).toEqual([]);
  });
});

describe("a file whose URL has a Content-Length", () => {
  it.each([
    ["its length", { bytes: 300_000 }],
    ["its strong ETag", { headers: { etag: '"two"' } }],
    ["its modification time", { headers: { etag: '"one"', "last-modified": "Sat, 21 Nov 2026 12:00:00 GMT" } }],
  ])("is not published if it changes while it is read: %s", async (_, change) => {
    const account = await signUp();
    const headers = { etag: '"one"', "last-modified": "Fri, 20 Nov 2026 12:00:00 GMT" };
    const firstVersion = { bytes: 200_000, length: true, ranges: true, headers };
    const { url, name } = await host(VIDEO, firstVersion);
    const media = await register(account, url, "video");
    const file = await openFile(account, media);
    await (await file.open()).cancel();
    await (await file.open({ offset: 100, length: 50 })).cancel();
    await host(VIDEO, { ...firstVersion, ...change }, name);
    const changed = { message: `file 1 (${media}) was changed at its address while it was read`, retry: false };
    await expect(file.open()).rejects.toMatchObject(changed);
    await expect(file.open({ offset: 100, length: 50 })).rejects.toMatchObject(changed);
  });

  it("is not copied", async () => {
    const account = await signUp();
    const { url } = await host(VIDEO, { bytes: MIB, length: true });
    await openFile(account, await register(account, url, "video"));
    expect(await listCopies(account)).toEqual([]);
    expect(await listDiscarded(account)).toEqual([]);
  });
});
