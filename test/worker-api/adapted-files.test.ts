// Images that a network would reject are converted when their post is accepted, and exactly these copies are sent.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { makeJpeg } from "../../scripts/local/jpeg.ts";
import { makePng } from "../../scripts/local/png.ts";
import { publicPath } from "../../src/domain/media/object-key.ts";
import { askExisting } from "../support/deployment.ts";
import { sha256 } from "../support/digests.ts";
import { testEnv } from "../support/env.ts";
import { type Account, call, finished, ledger, type PostBody, unique, upload } from "../support/world.ts";
import { openAdapting } from "./adapting.ts";
import { openTeam } from "./approvals.ts";
import { createReviewPath, openReview } from "./reviewed-post.ts";

const BUCKET = testEnv.MEDIA ?? expect.fail("no bucket");
const png = (width: number, height: number, shade = 0) => new Uint8Array(makePng(width, height, shade));
const nextWeek = () => new Date(Date.now() + 7 * 86_400_000).toISOString();
/** Exceeds Telegram's limit on the sum of width and height. */
const WIDE = png(9_000, 2_000);

interface StoredFile {
  channel: string;
  place: number;
  copy: { objectKey: string; etag: string } | null;
}
async function readSentFiles(id: string): Promise<StoredFile[]> {
  const stored = await testEnv.DB.prepare("SELECT sent_files FROM posts WHERE id = ?")
    .bind(id)
    .first<string>("sent_files");
  return JSON.parse(stored ?? "[]");
}
const listCopies = async ({ workspace }: Account) =>
  (await BUCKET.list({ prefix: `m/${workspace}/converted/` })).objects.map(({ key }) => key);
const readStagedBytes = ({ workspace }: Account) =>
  testEnv.DB.prepare("SELECT staged_bytes FROM workspaces WHERE id = ?").bind(workspace).first<number>("staged_bytes");

describe("a post with `media_fit: adapt`", () => {
  it("sends a copy that the network accepts, and names its differences from the original", async () => {
    const { account, channels, create } = await openAdapting("telegram");
    const file = await upload(account, WIDE, "image/png");
    const { status, body } = await create({ media: [file.id] });
    expect(status).toBe(201);
    expect(body.media_fit).toBe("adapt");
    const [sentFile] = body.deliveries[0]?.files ?? [];
    expect(sentFile).toMatchObject({ media: file.id, content_type: "image/jpeg", adapted: ["format", "size"] });
    expect((sentFile?.width ?? 0) + (sentFile?.height ?? 0)).toBeLessThanOrEqual(10_000);
    expect((await finished(account.key, body.id)).status).toBe("published");
    const [copy] = await readSentFiles(body.id);
    const object = await BUCKET.get(copy?.copy?.objectKey ?? "");
    expect(object?.size).toBe(sentFile?.bytes);
    const bytes = (await object?.arrayBuffer()) ?? expect.fail("there is no copy");
    expect([...new Uint8Array(bytes, 0, 3)]).toEqual([0xff, 0xd8, 0xff]);
    const [entry] = await ledger(channels[0]?.handle ?? "");
    expect(entry?.media.map(({ sha256 }) => sha256)).toEqual([await sha256(bytes)]);
    expect(await readStagedBytes(account)).toBe(WIDE.byteLength + bytes.byteLength);
  });

  it("leaves a file unchanged if the network accepts it", async () => {
    const { account, channels, create } = await openAdapting("telegram");
    const file = await upload(account, png(64, 48, 1), "image/png");
    const { body } = await create({ media: [file.id] });
    expect(body.deliveries[0]?.files).toMatchObject([
      { content_type: "image/png", width: 64, height: 48, adapted: [] },
    ]);
    await finished(account.key, body.id);
    const [entry] = await ledger(channels[0]?.handle ?? "");
    expect(entry?.media.map(({ sha256 }) => sha256)).toEqual([file.sha256]);
    expect(await listCopies(account)).toEqual([]);
  });

  it("creates one copy for channels with the same requirements, and reuses it for a later post", async () => {
    const { account, create } = await openAdapting("telegram", "telegram");
    const file = await upload(account, WIDE, "image/png");
    expect((await create({ media: [file.id], publish_at: nextWeek() })).status).toBe(201);
    expect((await create({ media: [file.id], publish_at: nextWeek(), text: "y" })).status).toBe(201);
    expect(await listCopies(account)).toHaveLength(1);
  });

  it("serves a copy at the address from which networks fetch it", async () => {
    const { account, create } = await openAdapting("instagram");
    const file = await upload(account, png(800, 800, 5), "image/png");
    const { body } = await create({ media: [file.id], publish_at: nextWeek() });
    expect(body.deliveries[0]?.files).toMatchObject([{ content_type: "image/jpeg", width: 800, adapted: ["format"] }]);
    const [sentFile] = await readSentFiles(body.id);
    const { objectKey = "", etag = "" } = sentFile?.copy ?? {};
    const address = `${testEnv.MEDIA_URL}/${publicPath(objectKey, "image/jpeg", etag)}`;
    const served = await exports.default.fetch(new Request(address));
    expect(served.status).toBe(200);
    expect(served.headers.get("content-type")).toBe("image/jpeg");
    await served.arrayBuffer();
    const sealedAddress = `${testEnv.MEDIA_URL}/${publicPath(objectKey.replace("converted", "sealed"), "image/jpeg", etag)}`;
    expect((await exports.default.fetch(new Request(sealedAddress))).status).toBe(404);
  });

  it("lists the conversions in a dry run, and converts nothing", async () => {
    const { account, create } = await openAdapting("telegram", "instagram");
    const file = await upload(account, png(900, 900, 7), "image/png");
    const { status, body } = await create({ media: [file.id], dry_run: true });
    expect(status).toBe(200);
    expect(body.deliveries.map(({ files }) => files)).toMatchObject([
      [{ media: file.id, content_type: "image/png", adapted: [] }],
      [{ media: file.id, content_type: "image/jpeg", width: 900, height: 900, bytes: null, adapted: ["format"] }],
    ]);
    expect(await listCopies(account)).toEqual([]);
  });

  it("rejects an image that would have to be cropped", async () => {
    const { account, create } = await openAdapting("instagram");
    const file = await upload(account, png(3_000, 900, 9), "image/png");
    const answer = await create({ media: [file.id] });
    expect(answer).toMatchObject({
      status: 422,
      body: { error: "media_dimensions_not_allowed", field: "/media/0", hint: expect.stringContaining("never crops") },
    });
    expect(await listCopies(account)).toEqual([]);
  });

  it("rejects a file that has not been uploaded, and a file that only looks like an image", async () => {
    const { account, create } = await openAdapting("instagram");
    const requested = await call<{ media: { id: string } }>("POST", "/v1/media/upload-url", {
      token: account.key,
      body: { content_type: "image/png", bytes: 1_000 },
    });
    expect(await create({ media: [requested.body.media.id] })).toMatchObject({
      status: 422,
      body: { error: "media_not_uploaded" },
    });
    const broken = png(400, 400, 3).fill(7, 60);
    const file = await upload(account, broken, "image/png");
    const answer = await create({ media: [file.id] });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ error: "media_format_not_allowed", field: "/media/0" });
  });

  it("adapts a draft only when it is released", async () => {
    const { account, create } = await openAdapting("instagram");
    const file = await upload(account, png(640, 640, 11), "image/png");
    const { body: draft } = await create({ media: [file.id], draft: true });
    expect(await listCopies(account)).toEqual([]);
    const released = await call<PostBody>("PATCH", `/v1/posts/${draft.id}`, {
      token: account.key,
      body: { draft: false, publish_at: nextWeek() },
    });
    expect(released.body.deliveries[0]?.files).toMatchObject([{ content_type: "image/jpeg", adapted: ["format"] }]);
    const exact = await call("PATCH", `/v1/posts/${draft.id}`, { token: account.key, body: { media_fit: "exact" } });
    expect(exact).toMatchObject({ status: 422, body: { error: "media_format_not_allowed" } });
  });

  it("discards the copies of a file when the file is deleted", async () => {
    const { account, create } = await openAdapting("instagram");
    const file = await upload(account, png(500, 500, 13), "image/png");
    const { body } = await create({ media: [file.id], publish_at: nextWeek() });
    expect(await readStagedBytes(account)).toBeGreaterThan(file.bytes);
    await call("DELETE", `/v1/posts/${body.id}`, { token: account.key });
    expect((await call("DELETE", `/v1/media/${file.id}`, { token: account.key })).status).toBe(204);
    const rows = await testEnv.DB.prepare("SELECT COUNT(*) AS n FROM media_copies WHERE workspace_id = ?")
      .bind(account.workspace)
      .first<number>("n");
    expect(rows).toBe(0);
    const discarded = await testEnv.DB.prepare("SELECT object_key FROM discarded_objects WHERE workspace_id = ?")
      .bind(account.workspace)
      .all<{ object_key: string }>();
    expect(discarded.results.map(({ object_key: key }) => key)).toEqual(
      expect.arrayContaining(await listCopies(account)),
    );
  });

  it("sends the original to a network that accepts it, and a copy to one that does not", async () => {
    const { account, channels, create } = await openAdapting("telegram", "tiktok");
    const overrides = { [channels[1]?.id ?? ""]: { privacy_level: "SELF_ONLY" } };
    const file = await upload(account, makeJpeg(2_400, 1_800, 4), "image/jpeg");
    const { body } = await create({ media: [file.id], publish_at: nextWeek(), overrides });
    const files = body.deliveries.flatMap((delivery) => delivery.files ?? []);
    expect(files).toMatchObject([
      { width: 2_400, adapted: [] },
      { width: 1_440, height: 1_080, adapted: ["size"] },
    ]);
  });
});

describe("an adapted post that waits for approval", () => {
  it("the copy that reviewers see is the copy that is approved and published", async () => {
    const { owner, author, publisher, channel, create, approve } = await openTeam();
    const file = await upload(owner, WIDE, "image/png");
    const { body: waiting } = await create(author, { media: [file.id], publish_at: null, media_fit: "adapt" });
    const [copy] = waiting.approval?.files ?? [];
    expect(copy).toMatchObject({ channel: channel.id, media: file.id, content_type: "image/jpeg" });
    const page = await (await openReview(await createReviewPath({ owner, waitingPost: waiting }))).text();
    const address =
      /src="([^"]+\/converted\/[^"]+\/file\.jpg)"/.exec(page)?.[1] ?? expect.fail("the page shows no copy");
    const size = `${copy?.width} × ${copy?.height} px`;
    expect(page).toMatch(
      new RegExp(
        `Adapted for Telegram: JPEG, ${size}, [\\d.,]+ [KM]B\\. The original is PNG, 9000 × 2000 px, [\\d.,]+ [KM]B\\.`,
      ),
    );
    // Everyone who may decide sees the same copy.
    expect(copy?.url).toBe(address);
    const listed = await call<{ posts: PostBody[] }>("GET", "/v1/posts?status=awaiting_approval", { token: owner.key });
    expect(listed.body.posts.map(({ approval }) => approval?.files?.map(({ url }) => url))).toEqual([[address]]);
    const shownBytes = await (await exports.default.fetch(new Request(address))).arrayBuffer();
    const approved = await approve(publisher, waiting.id, { rev: waiting.rev, content_tag: waiting.content_tag });
    expect(approved.body.content_tag).toBe(waiting.content_tag);
    expect(approved.body.approval?.files).toBeUndefined();
    expect((await finished(owner.key, waiting.id)).status).toBe("published");
    const sentHashes = (await ledger(channel.handle)).flatMap(({ media }) => media.map(({ sha256 }) => sha256));
    expect(sentHashes).toEqual([await sha256(shownBytes)]);
  });

  it("a file that is sent unchanged has no copy in the review", async () => {
    const { owner, author, create } = await openTeam();
    const file = await upload(owner, png(64, 48, 22), "image/png");
    const { body: waiting } = await create(author, { media: [file.id], publish_at: null, media_fit: "adapt" });
    expect(waiting.approval?.files).toMatchObject([{ media: file.id, adapted: [], url: null }]);
    const page = await (await openReview(await createReviewPath({ owner, waitingPost: waiting }))).text();
    expect(page).not.toContain("Adapted");
    expect(page).not.toContain("/converted/");
  });

  it("adapting the files of a post changes its content tag", async () => {
    const { owner, author, create, patch } = await openTeam();
    const file = await upload(owner, png(64, 48, 21), "image/png");
    const { body: exact } = await create(author, { media: [file.id] });
    const { body: adapted } = await patch(author, exact.id, { media_fit: "adapt" });
    expect(adapted.content_tag).not.toBe(exact.content_tag);
  });
});

describe("an imported row with `media_fit`", () => {
  const importCsv = (key: string, text: string) =>
    call<{ created: number; rows: { violations: object[]; post: PostBody | null }[] }>("POST", "/v1/posts/import", {
      token: key,
      headers: { "content-type": "text/csv" },
      body: text,
    });

  it("the file of an imported row is adapted even if it is given by its address", async () => {
    const { account, channels } = await openAdapting("instagram");
    const bytes = png(640, 640, 23);
    const name = unique("/f");
    const head = btoa(String.fromCharCode(...bytes));
    const hosted = JSON.stringify({ head, bytes: bytes.byteLength, length: true, ranges: false });
    await fetch(`${testEnv.FILE_HOST}${name}.png`, { method: "PUT", body: hosted });
    const row = `x,${channels[0]?.id},${nextWeek()},${testEnv.FILE_HOST}${name}.png,adapt`;
    const { body } = await importCsv(account.key, `text,channels,publish_at,media_urls,media_fit\n${row}\n`);
    expect(body).toMatchObject({ created: 1, rows: [{ violations: [] }] });
    const [delivery] = body.rows[0]?.post?.deliveries ?? [];
    expect(delivery?.files).toMatchObject([{ content_type: "image/jpeg", width: 640, adapted: ["format"] }]);
  });

  it("an import names the column of an unknown `media_fit` value", async () => {
    const { account, channels } = await openAdapting("telegram");
    const { body } = await importCsv(
      account.key,
      `text,channels,publish_at,media_fit\nx,${channels[0]?.id},${nextWeek()},fit\n`,
    );
    expect(body).toMatchObject({ created: 0, rows: [{ violations: [{ field: "/media_fit", column: "media_fit" }] }] });
  });
});

it("a deployment without the Images binding refuses to adapt, and still publishes exact files", async () => {
  const { account, channels } = await openAdapting("telegram");
  const send = (fit: string) =>
    askExisting({ ...testEnv, IMAGES: undefined }, "http://crier.test/v1/posts", {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify({ text: "x", channels: [channels[0]?.id], media_fit: fit, publish_at: nextWeek() }),
    });
  const refused = await send("adapt");
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: "images_not_configured", field: "/media_fit" });
  expect((await send("exact")).status).toBe(201);
});
