// An import copies, seals and converts the files of its rows before it writes posts, and deletes the files of posts that it does not
// write.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { ImageRefused } from "../../../../../src/adapters/images.ts";
import { namedKeys } from "../../../../../src/store/db/schema.ts";
import { jpeg, webp } from "../../../../support/media-files.ts";
import { memoryBucket } from "../../../../support/memory-bucket.ts";
import { db, NOW } from "../../../store/deliveries/stored-delivery.ts";
import { catchRefusal } from "../workspace-of-two.ts";
import { setUpImport } from "./importing.ts";

type Parts = NonNullable<Parameters<typeof setUpImport>[0]>;
const PICTURE = jpeg(1_000, 1_000);
const GOOD = (name: string) => `https://files.example/${name}.jpg`;

/** Sets up a workspace with a bucket. Files at addresses have the same content, except for names with `gone`. */
async function setUpBucket({ outside, ...parts }: Parts = {}) {
  const memory = memoryBucket();
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
  const imports = await setUpImport({ ...parts, outside: { bucket: memory.bucket, outbound, images, ...outside } });
  const upload = async (type = "image/jpeg") => {
    const content = type === "image/webp" ? webp(1_000, 1_000) : PICTURE;
    const { body } = await imports.call("media.request-upload", {
      body: { content_type: type, bytes: content.length },
    });
    const { id } = Object(body.media);
    memory.hold(`m/${imports.workspaceId}/${id}`, content, type);
    return String(id);
  };
  return { ...imports, ...memory, fetched, converted, upload };
}
const WAITS: Parts = { workspace: { approval: "all" } };
const PARTIAL = { query: { partial: "true" } };

describe("the files of rows that wait for approval", () => {
  it("a file at an address is copied once for all rows that name it, and registered with its copies", async () => {
    const { csv, bothChannels, fetched, readFiles, files, readPosts } = await setUpBucket(WAITS);
    const [a, b] = [GOOD("a"), GOOD("b")];
    const { body } = await csv([
      "text,channels,media_urls",
      `a,${bothChannels},${a}`,
      `b,${bothChannels},${b}|${a}`,
      `c,${bothChannels},`,
    ]);
    expect(body).toMatchObject({ created: 3 });
    expect(fetched.toSorted()).toEqual([a, a, b]);
    const rows = await readFiles();
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(files.get(row.objectKey ?? "")?.etag).toBe(row.etag);
    expect((await readPosts()).map(({ status }) => status)).toEqual(Array(3).fill("awaiting_approval"));
  });

  it("files at addresses are not copied in a dry run, for drafts, and for posts that need no approval", async () => {
    const file = (bothChannels: string, draft = "") => [
      "text,channels,media_urls,draft",
      `a,${bothChannels},${GOOD("a")},${draft}`,
    ];
    const waits = await setUpBucket(WAITS);
    await waits.csv(file(waits.bothChannels), { query: { dry_run: "true" } });
    await waits.csv(file(waits.bothChannels, "true"));
    const free = await setUpBucket();
    await free.csv(file(free.bothChannels));
    expect([waits.fetched, free.fetched]).toEqual([[], []]);
    expect((await free.readFiles()).map(({ objectKey }) => objectKey)).toEqual([null]);
  });

  it("a row whose file cannot be copied is refused, and the file is not in the library afterwards", async () => {
    const { csv, bothChannels, readFiles, readPosts } = await setUpBucket(WAITS);
    const file = ["text,channels,media_urls", `a,${bothChannels},${GOOD("a")}`, `b,${bothChannels},${GOOD("gone")}`];
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

  it("an import whose copies are refused leaves no files", async () => {
    const { csv, bothChannels, readFiles } = await setUpBucket({ ...WAITS, outside: { takeHost: async () => 7 } });
    const file = ["text,channels,media_urls", `a,${bothChannels},${GOOD("a")}`];
    expect(await catchRefusal(csv(file))).toMatchObject({ code: "rate_limited" });
    expect(await readFiles()).toEqual([]);
  });

  it("an import copies at most a hundred files at addresses, and refuses the other rows", async () => {
    const { csv, bothChannels, fetched, readFiles } = await setUpBucket(WAITS);
    const urls = (from: number) => Array.from({ length: 10 }, (_, i) => GOOD(`${from + i}`)).join("|");
    const rows = Array.from({ length: 11 }, (_, row) => `${row},${bothChannels},${urls(10 * row)}`);
    const { body } = await csv(["text,channels,media_urls", ...rows], PARTIAL);
    expect(body).toMatchObject({ valid: 10, created: 10 });
    expect(fetched).toHaveLength(100);
    expect(body.rows[10]?.violations[0]?.message).toContain(
      "is beyond the 100 files at addresses that one import copies",
    );
    expect(await readFiles()).toHaveLength(100);
  });

  it("uploads of waiting posts are stored under a key without an upload address, and uploads of drafts are not", async () => {
    const { csv, bothChannels, upload, readFiles } = await setUpBucket(WAITS);
    const [waiting, draft] = [await upload(), await upload()];
    await csv(["text,channels,media,draft", `a,${bothChannels},${waiting},`, `b,${bothChannels},${draft},true`]);
    const places = new Map((await readFiles()).map(({ id, objectKey }) => [id, objectKey?.includes("/sealed/")]));
    expect([places.get(waiting), places.get(draft)]).toEqual([true, false]);
  });

  it("an import writes nothing if its key is revoked while files are inspected", async () => {
    const { csv, bothChannels, upload, join, nameKey, bucket, readPosts } = await setUpBucket();
    const key = await nameKey(await join("owner"));
    const id = await upload();
    const { stat } = bucket;
    bucket.stat = async (name) => {
      const isKey = eq(namedKeys.id, "keyId" in key ? key.keyId : "");
      await db.update(namedKeys).set({ revokedAt: NOW }).where(isKey);
      return stat(name);
    };
    const file = ["text,channels,media", `a,${bothChannels},${id}`];
    expect(await catchRefusal(csv(file, { as: key }))).toMatchObject({ code: "key_revoked" });
    expect(await readPosts()).toEqual([]);
  });
});

describe("rows whose files are adapted", () => {
  const ON_INSTAGRAM: Parts = { channel: { platform: "instagram" } };
  const LATER = new Date(NOW + 3_600_000).toISOString();
  const header = "text,channels,publish_at,media_fit,media_urls,draft";

  it("only rows with adapted images have converted files, and drafts have none", async () => {
    const { csv, first, converted, readInOrder, fetched } = await setUpBucket(ON_INSTAGRAM);
    const row = (text: string, fit: string, draft = "") => `${text},${first},${LATER},${fit},${GOOD(text)},${draft}`;
    const { body } = await csv([header, row("a", "adapt"), row("b", "exact"), row("c", "adapt", "true")]);
    expect(body.rows.flatMap(({ violations }) => violations)).toEqual([]);
    expect([fetched, converted]).toEqual([[GOOD("a")], []]);
    const [adapted, exact, draft] = await readInOrder();
    expect(adapted?.sentFiles).toMatchObject([{ channel: first, place: 0, contentType: "image/jpeg", copy: null }]);
    expect([exact?.sentFiles, draft?.sentFiles]).toEqual([null, null]);
  });

  it("a row whose image cannot be converted is refused, and the other rows are written", async () => {
    const encode = async () => {
      throw new ImageRefused("damaged");
    };
    const { csv, first, upload, readPosts } = await setUpBucket({ ...ON_INSTAGRAM, outside: { images: { encode } } });
    const [damaged, fine] = [await upload("image/webp"), await upload()];
    const file = ["text,channels,media_fit,media", `a,${first},adapt,${damaged}`, `b,${first},adapt,${fine}`];
    const { body } = await csv(file, PARTIAL);
    expect(body.rows[0]?.violations).toMatchObject([{ code: "media_format_not_allowed", field: "/media/0" }]);
    expect(body).toMatchObject({ valid: 1, created: 1 });
    expect(await readPosts()).toMatchObject([{ text: "b" }]);
  });

  it("an import makes at most a hundred conversions, and counts only the files that need one", async () => {
    const { csv, first, upload, readPosts } = await setUpBucket(ON_INSTAGRAM);
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
