// Videos above the limit of one upload: begun, sent in chunks, put together, or aborted.
import { expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { type Account, call, connect, post, signUp } from "../support/world.ts";

const CHUNK_BYTES = 32 * 1024 * 1024;
const TAIL_BYTES = 1_000;

interface Started {
  media: { id: string; state: string; bytes: number };
  chunk_bytes: number;
  chunk_count: number;
  expires_at: string;
  public_url: string;
}
interface Row {
  object_key: string;
  upload_id: string;
}

/** A video of two chunks, of which the second is short. */
async function start(account: Account, fields: object = {}): Promise<Started> {
  const body = { content_type: "video/mp4", bytes: CHUNK_BYTES + TAIL_BYTES, ...fields };
  const answer = await call<Started>("POST", "/v1/media/chunked-upload", { token: account.key, body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

async function readRow(id: string): Promise<Row> {
  const row = await testEnv.DB.prepare("SELECT object_key, upload_id FROM media WHERE id = ?").bind(id).first<Row>();
  if (row === null) throw new Error(`no row of ${id}`);
  return row;
}

/** Sends a chunk as the bucket's address does, and returns its ETag. */
async function send(id: string, number: number, bytes = makeChunk(number)): Promise<string> {
  const { object_key, upload_id } = await readRow(id);
  const upload = testEnv.MEDIA?.resumeMultipartUpload(object_key, upload_id);
  const part = await upload?.uploadPart(number, bytes);
  return part?.etag ?? "";
}

function makeChunk(number: number, type = "ftyp"): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(number === 1 ? CHUNK_BYTES : TAIL_BYTES);
  if (number === 1) bytes.set(new TextEncoder().encode(`\0\0\0 ${type}isom`));
  return bytes;
}

const complete = (account: Account, id: string, chunks: { number: number; etag: string }[]) =>
  call("POST", `/v1/media/${id}/complete`, { token: account.key, body: { chunks } });
const stagedBytes = (account: Account) =>
  testEnv.DB.prepare("SELECT staged_bytes FROM workspaces WHERE id = ?").bind(account.workspace).first("staged_bytes");

it("stores a video only once its chunks are put together, and the call may be repeated", async () => {
  const account = await signUp();
  const started = await start(account, { name: "film.mp4", tags: ["film"] });
  const { id } = started.media;
  expect(started).toMatchObject({ chunk_bytes: CHUNK_BYTES, chunk_count: 2, media: { state: "awaiting_upload" } });
  expect(Date.parse(started.expires_at) - Date.now()).toBeGreaterThan(23 * 3_600_000);
  expect(await stagedBytes(account)).toBe(CHUNK_BYTES + TAIL_BYTES);
  const addresses = await call<{ chunks: { upload_url: string }[] }>("POST", `/v1/media/${id}/chunks`, {
    token: account.key,
    body: { numbers: [1, 2] },
  });
  expect(addresses).toMatchObject({
    status: 200,
    body: {
      chunks: [
        { number: 1, method: "PUT", headers: { "Content-Length": String(CHUNK_BYTES) } },
        { number: 2, method: "PUT", headers: { "Content-Length": String(TAIL_BYTES) } },
      ],
    },
  });
  const signed = new URL(addresses.body.chunks[1]?.upload_url ?? "").searchParams;
  expect(signed.get("partNumber")).toBe("2");
  expect(signed.get("X-Amz-SignedHeaders")).toBe("content-length;host");
  const chunks = [
    { number: 2, etag: `"${await send(id, 2)}"` },
    { number: 1, etag: await send(id, 1) },
  ];
  const { object_key } = await readRow(id);
  expect(await testEnv.MEDIA?.head(object_key)).toBeNull();
  const completed = await complete(account, id, chunks);
  expect(completed).toMatchObject({ status: 200, body: { id, state: "ready", bytes: CHUNK_BYTES + TAIL_BYTES } });
  expect(await testEnv.MEDIA?.head(object_key)).toMatchObject({ size: CHUNK_BYTES + TAIL_BYTES });
  expect(await complete(account, id, chunks)).toMatchObject({ status: 200, body: completed.body });
  expect(await stagedBytes(account)).toBe(CHUNK_BYTES + TAIL_BYTES);
  const later = await call("POST", `/v1/media/${id}/chunks`, { token: account.key, body: { numbers: [1] } });
  expect(later).toMatchObject({ status: 409, body: { error: "upload_not_open" } });
  const aborted = await call("DELETE", `/v1/media/${id}/chunks`, { token: account.key });
  expect(aborted).toMatchObject({ status: 409, body: { error: "upload_not_open" } });
});

it("stores nothing while a chunk is missing, named twice, or not the one that was sent", async () => {
  const account = await signUp();
  const { id } = (await start(account)).media;
  const first = { number: 1, etag: await send(id, 1) };
  const wrong = { number: 2, etag: "0".repeat(32) };
  const second = { number: 2, etag: await send(id, 2) };
  for (const chunks of [[first], [first, first], [first, wrong], [first, second, { number: 3, etag: wrong.etag }]]) {
    const refused = await complete(account, id, chunks);
    expect(refused).toMatchObject({ status: 422, body: { error: "chunks_incomplete", field: "/chunks" } });
  }
  expect(await testEnv.MEDIA?.head((await readRow(id)).object_key)).toBeNull();
  const unknown = await call("POST", `/v1/media/${id}/chunks`, { token: account.key, body: { numbers: [1, 3] } });
  expect(unknown).toMatchObject({ status: 422, body: { error: "unknown_chunk", field: "/numbers/1" } });
  expect(await complete(account, id, [first, second])).toMatchObject({ status: 200 });
});

it("a file that is not what was declared is refused when its chunks are put together", async () => {
  const account = await signUp();
  const { id } = (await start(account)).media;
  const chunks = [
    { number: 1, etag: await send(id, 1, makeChunk(1, "text")) },
    { number: 2, etag: await send(id, 2) },
  ];
  for (let time = 0; time < 2; time++) {
    const refused = await complete(account, id, chunks);
    expect(refused).toMatchObject({ status: 422, body: { error: "media_format_not_allowed" } });
  }
});

it.each(["", "/chunks"])(
  "DELETE /v1/media/:id%s aborts an unfinished upload and frees its bytes at once",
  async (path) => {
    const account = await signUp();
    const { id } = (await start(account)).media;
    const etag = await send(id, 1);
    const { object_key, upload_id } = await readRow(id);
    expect((await call("DELETE", `/v1/media/${id}${path}`, { token: account.key })).status).toBe(204);
    expect(await stagedBytes(account)).toBe(0);
    const upload = testEnv.MEDIA?.resumeMultipartUpload(object_key, upload_id);
    await expect(upload?.complete([{ partNumber: 1, etag }])).rejects.toThrow();
    await expect(upload?.uploadPart(2, makeChunk(2))).rejects.toThrow();
    expect(await complete(account, id, [{ number: 1, etag }])).toMatchObject({ status: 404 });
  },
);

it.each([
  [{ content_type: "video/mp4", bytes: 4_000_000_001 }, "media_too_large", "/bytes"],
  [{ content_type: "image/png", bytes: 1_000 }, "content_type_not_allowed", "/content_type"],
])("refuses to begin the upload of %j", async (body, error, field) => {
  const account = await signUp();
  const refused = await call("POST", "/v1/media/chunked-upload", { token: account.key, body });
  expect(refused).toMatchObject({ status: 422, body: { error, field } });
});

it("an upload counts towards the plan from its beginning, and one that does not fit is not begun", async () => {
  const account = await signUp();
  await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(account.workspace).run();
  await start(account, { bytes: 700_000_000 });
  const body = { content_type: "video/mp4", bytes: 700_000_000 };
  const refused = await call("POST", "/v1/media/chunked-upload", { token: account.key, body });
  expect(refused).toMatchObject({ status: 402, body: { limit: "media_bytes", used: 700_000_000 } });
});

it("a file that is uploaded in one piece has no chunks, and another workspace's file cannot be found", async () => {
  const [account, other] = [await signUp(), await signUp()];
  const whole = await call<Started>("POST", "/v1/media/upload-url", {
    token: account.key,
    body: { content_type: "video/mp4", bytes: 1_000 },
  });
  const { id } = (await start(account)).media;
  const chunks = [{ number: 1, etag: "a" }];
  expect(await complete(account, whole.body.media.id, chunks)).toMatchObject({
    status: 409,
    body: { error: "upload_not_open" },
  });
  expect(await complete(other, id, chunks)).toMatchObject({ status: 404 });
  const addresses = await call("POST", `/v1/media/${id}/chunks`, { token: other.key, body: { numbers: [1] } });
  expect(addresses).toMatchObject({ status: 404 });
});

it("a dry run judges an unfinished upload by its size against each network's rule", async () => {
  const account = await signUp();
  const [telegram, youtube] = [await connect(account.key, "telegram"), await connect(account.key, "youtube")];
  const { id } = (await start(account, { bytes: 3_900_000_000 })).media;
  const body = {
    ...{ media: [id], channels: [telegram.id, youtube.id], text: "A film", dry_run: true },
    overrides: { [youtube.id]: { title: "A film", made_for_kids: false } },
  };
  const refused = await call<{ violations: { code: string; channel: string }[] }>("POST", "/v1/posts", {
    token: account.key,
    body,
  });
  expect(refused.status).toBe(422);
  expect(refused.body.violations).toMatchObject([{ code: "media_too_large", channel: telegram.id, limit: 50_000_000 }]);
  const draft = await post(account.key, { media: [id], draft: true });
  expect(draft).toMatchObject({ status: "draft" });
});
