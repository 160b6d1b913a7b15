// What an import does with the files of its rows before any post is written: copies of them are made, sealed and converted, and those of
// posts that are not written are forgotten.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { ImageRefused } from "../../../../../src/adapters/images.ts";
import { namedKeys } from "../../../../../src/store/db/schema.ts";
import { jpeg, webp } from "../../../../support/media-files.ts";
import { memoryBucket } from "../../../../support/memory-bucket.ts";
import { db, NOW } from "../../../store/deliveries/stored-delivery.ts";
import { refusal } from "../workspace-of-two.ts";
import { importing } from "./importing.ts";

type Parts = NonNullable<Parameters<typeof importing>[0]>;
const PICTURE = jpeg(1_000, 1_000);
const GOOD = (name: string) => `https://files.example/${name}.jpg`;

/** A workspace with a bucket, whose files at addresses are this picture unless their name is `gone`. */
async function withBucket({ outside, ...parts }: Parts = {}) {
  const held = memoryBucket();
  const fetched: string[] = [];
  const fetch = async (url: string) => {
    fetched.push(url);
    return url.includes("gone") ? new Response("gone", { status: 404 }) : new Response(PICTURE);
  };
  const outbound = {
    check: (url: string) => new URL(url),
    warn: () => [],
    admit: async (url: string) => new URL(url),
    fetch,
  };
  const converted: string[] = [];
  const images = {
    encode: async (_image: ReadableStream, type: string) => {
      converted.push(type);
      return new Blob([jpeg(900, 900)]).stream();
    },
  };
  const here = await importing({ ...parts, outside: { bucket: held.bucket, outbound, images, ...outside } });
  const upload = async (type = "image/jpeg") => {
    const content = type === "image/webp" ? webp(1_000, 1_000) : PICTURE;
    const { body } = await here.call("media.request-upload", { body: { content_type: type, bytes: content.length } });
    const { id } = Object(body.media);
    held.hold(`m/${here.workspaceId}/${id}`, content, type);
    return String(id);
  };
  return { ...here, ...held, fetched, converted, upload };
}
const WAITS: Parts = { workspace: { approval: "all" } };
const PARTIAL = { query: { partial: "true" } };

describe("the files of rows that wait for approval", () => {
  it("at addresses are copied once, however many rows name them, and registered with their copies", async () => {
    const { csv, both, fetched, readFiles, files, readPosts } = await withBucket(WAITS);
    const [a, b] = [GOOD("a"), GOOD("b")];
    const { body } = await csv(["text,channels,media_urls", `a,${both},${a}`, `b,${both},${b}|${a}`, `c,${both},`]);
    expect(body).toMatchObject({ created: 3 });
    expect(fetched.toSorted()).toEqual([a, a, b]);
    const rows = await readFiles();
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(files.get(row.objectKey ?? "")?.etag).toBe(row.etag);
    expect((await readPosts()).map(({ status }) => status)).toEqual(Array(3).fill("awaiting_approval"));
  });

  it("are left at their addresses in a dry run, for drafts, and where nobody approves", async () => {
    const file = (both: string, draft = "") => ["text,channels,media_urls,draft", `a,${both},${GOOD("a")},${draft}`];
    const waits = await withBucket(WAITS);
    await waits.csv(file(waits.both), { query: { dry_run: "true" } });
    await waits.csv(file(waits.both, "true"));
    const free = await withBucket();
    await free.csv(file(free.both));
    expect([waits.fetched, free.fetched]).toEqual([[], []]);
    expect((await free.readFiles()).map(({ objectKey }) => objectKey)).toEqual([null]);
  });

  it("that cannot be copied have their row refused, and are not in the library afterwards", async () => {
    const { csv, both, readFiles, readPosts } = await withBucket(WAITS);
    const file = ["text,channels,media_urls", `a,${both},${GOOD("a")}`, `b,${both},${GOOD("gone")}`];
    const whole = await csv(file);
    expect(whole.body).toMatchObject({ valid: 1, created: 0 });
    expect(whole.rows[1]?.violations).toMatchObject([
      { code: "media_not_uploaded", column: "media_urls", message: expect.stringContaining("answered 404") },
    ]);
    expect([await readFiles(), await readPosts()]).toEqual([[], []]);
    const partial = await csv(file, PARTIAL);
    expect(partial.body).toMatchObject({ valid: 1, created: 1 });
    expect((await readFiles()).map(({ url }) => url)).toEqual([GOOD("a")]);
  });

  it("are forgotten where the copies are refused altogether", async () => {
    const { csv, both, readFiles } = await withBucket({ ...WAITS, outside: { takeHost: async () => 7 } });
    const file = ["text,channels,media_urls", `a,${both},${GOOD("a")}`];
    expect(await refusal(csv(file))).toMatchObject({ code: "rate_limited" });
    expect(await readFiles()).toEqual([]);
  });

  it("beyond a hundred at addresses are refused, with the number", async () => {
    const { csv, both, fetched, readFiles } = await withBucket(WAITS);
    const urls = (from: number) => Array.from({ length: 10 }, (_, i) => GOOD(`${from + i}`)).join("|");
    const rows = Array.from({ length: 11 }, (_, row) => `${row},${both},${urls(10 * row)}`);
    const { body } = await csv(["text,channels,media_urls", ...rows], PARTIAL);
    expect(body).toMatchObject({ valid: 10, created: 10 });
    expect(fetched).toHaveLength(100);
    expect(body.rows[10]?.violations[0]?.message).toContain(
      "is beyond the 100 files at addresses that one import copies",
    );
    expect(await readFiles()).toHaveLength(100);
  });

  it("that were uploaded are put where no upload address writes, and those of drafts are not", async () => {
    const { csv, both, upload, readFiles } = await withBucket(WAITS);
    const [waiting, draft] = [await upload(), await upload()];
    await csv(["text,channels,media,draft", `a,${both},${waiting},`, `b,${both},${draft},true`]);
    const places = new Map((await readFiles()).map(({ id, objectKey }) => [id, objectKey?.includes("/sealed/")]));
    expect([places.get(waiting), places.get(draft)]).toEqual([true, false]);
  });

  it("are written for nobody whose key ends while they are looked at", async () => {
    const { csv, both, upload, join, nameKey, bucket, readPosts } = await withBucket();
    const key = await nameKey(await join("owner"));
    const id = await upload();
    const { stat } = bucket;
    bucket.stat = async (name) => {
      const isKey = eq(namedKeys.id, "keyId" in key ? key.keyId : "");
      await db.update(namedKeys).set({ revokedAt: NOW }).where(isKey);
      return stat(name);
    };
    const file = ["text,channels,media", `a,${both},${id}`];
    expect(await refusal(csv(file, { as: key }))).toMatchObject({ code: "key_revoked" });
    expect(await readPosts()).toEqual([]);
  });
});

describe("rows whose files are adapted", () => {
  const ON_INSTAGRAM: Parts = { channel: { platform: "instagram" } };
  const LATER = new Date(NOW + 3_600_000).toISOString();
  const header = "text,channels,publish_at,media_fit,media_urls,draft";

  it("go out as they were converted, and drafts and others are left as they are", async () => {
    const { csv, first, converted, readInOrder, fetched } = await withBucket(ON_INSTAGRAM);
    const row = (text: string, fit: string, draft = "") => `${text},${first},${LATER},${fit},${GOOD(text)},${draft}`;
    const { body } = await csv([header, row("a", "adapt"), row("b", "exact"), row("c", "adapt", "true")]);
    expect(body.rows.flatMap(({ violations }) => violations)).toEqual([]);
    expect([fetched, converted]).toEqual([[GOOD("a")], []]);
    const [adapted, exact, draft] = await readInOrder();
    expect(adapted?.sentFiles).toMatchObject([{ channel: first, place: 0, contentType: "image/jpeg", copy: null }]);
    expect([exact?.sentFiles, draft?.sentFiles]).toEqual([null, null]);
  });

  it("are refused where an image cannot be converted, and the others are written", async () => {
    const encode = async () => {
      throw new ImageRefused("damaged");
    };
    const { csv, first, upload, readPosts } = await withBucket({ ...ON_INSTAGRAM, outside: { images: { encode } } });
    const [damaged, fine] = [await upload("image/webp"), await upload()];
    const file = ["text,channels,media_fit,media", `a,${first},adapt,${damaged}`, `b,${first},adapt,${fine}`];
    const { body } = await csv(file, PARTIAL);
    expect(body.rows[0]?.violations).toMatchObject([{ code: "media_format_not_allowed", field: "/media/0" }]);
    expect(body).toMatchObject({ valid: 1, created: 1 });
    expect(await readPosts()).toMatchObject([{ text: "b" }]);
  });

  it("are refused beyond a hundred conversions, which files that no channel refuses are no part of", async () => {
    const { csv, first, upload, readPosts } = await withBucket(ON_INSTAGRAM);
    const [converted, fine] = [await upload("image/webp"), await upload()];
    const rows = Array.from({ length: 101 }, (_, i) => `${i},${first},adapt,${fine}|${converted}`);
    const { body } = await csv(["text,channels,media_fit,media", ...rows], PARTIAL);
    expect(body.rows[100]?.violations).toEqual([
      {
        code: "media_format_not_allowed",
        field: "/media_fit",
        column: "media_fit",
        message: "One import converts at most 100 files.",
        hint: "Import the rows in several files.",
      },
    ]);
    expect(body).toMatchObject({ valid: 100, created: 100 });
    expect(await readPosts()).toHaveLength(100);
  });
});
