// Rows judged as the posts that they would be: what is said of each, and what its files become.
import { describe, expect, it } from "vitest";
import { ALT_LENGTH_MAX } from "../../../../../src/domain/limits.ts";
import { memoryBucket } from "../../../../support/memory-bucket.ts";
import { importing } from "./importing.ts";

const LONG = "x".repeat(5_000);
const media = (id: string, more: object = {}) => ({
  type: "media",
  id,
  url: "https://files.example/a.jpg",
  kind: "image",
  alt: null,
  ...more,
});
const codes = (
  { violations }: { violations: { code: string; field?: string | undefined }[] } | undefined = expect.fail(),
) => violations.map(({ code, field }) => `${code} ${field}`);

describe("a row that breaks rules", () => {
  it("says what is wrong with its JSON, and nothing else", async () => {
    const { lines } = await importing();
    const { rows } = await lines(["{ not json"]);
    expect(rows.map(codes)).toEqual([["malformed_json undefined"]]);
  });

  it("says which fields have a wrong shape, besides all that the file has wrong with it", async () => {
    const { json, csv, first } = await importing();
    const [broken] = (await json([{ text: 7, labels: [1], channels: ["nowhere"] }])).rows;
    expect(codes(broken)).toEqual(["unknown_channel /channels/0", "invalid_field /text", "invalid_field /labels/0"]);
    const { rows } = await csv(["text,channels", `a,${first},,more`]);
    expect(rows.map(codes)).toEqual([["invalid_field undefined"]]);
  });

  it("has no dry run of its own, and no files that are only described", async () => {
    const { json, first } = await importing();
    const { rows } = await json([{ text: "a", channels: [first], dry_run: true, media_preview: [] }]);
    expect(codes(rows[0])).toEqual(["unknown_field /dry_run", "unknown_field /media_preview"]);
  });

  it("takes no next slot, and says where the next ones are told", async () => {
    const { json, first } = await importing();
    const { rows } = await json([{ text: "a", channels: [first], publish_at: "next_slot" }]);
    expect(rows[0]?.violations).toEqual([
      {
        code: "publish_at_invalid",
        field: "/publish_at",
        message: "An import takes times.",
        hint: "`GET /v1/slots/next` tells the next ones.",
      },
    ]);
  });

  it("names channels that it lacks only where it names none at all", async () => {
    const { json } = await importing();
    const { rows } = await json([
      { text: "a", channels: [] },
      { text: "b", channels: ["nowhere"] },
      { text: "c", channels: ["nowhere"], media: ["med_01hzx0000000000000000000ab"] },
    ]);
    expect(rows.map(codes)).toEqual([
      ["channels_required /channels"],
      ["unknown_channel /channels/0"],
      ["unknown_channel /channels/0", "unknown_media /media/0"],
    ]);
  });

  it("has a hint for a date that a spreadsheet made, and no such hint for anything else", async () => {
    const { csv, first } = await importing();
    const { rows } = await csv(["text,channels,publish_at", `${LONG},${first},46000.375`]);
    const hints = new Map(rows[0]?.violations.map(({ code, hint }) => [code, hint]));
    expect(hints.get("publish_at_invalid")).toContain("Write it as `2026-12-01T09:00`; in a spreadsheet");
    expect(hints.get("text_too_long")).not.toContain("spreadsheet");
  });

  it("of a channel that cannot publish says so", async () => {
    const { json, first } = await importing({ channel: { credential: null, credentialId: "" } });
    const { rows } = await json([{ text: "a", channels: [first] }]);
    expect(rows[0]?.violations).toMatchObject([
      { code: "channel_not_connected", field: "/channels", message: expect.stringContaining("has no credential yet") },
    ]);
  });

  it("that waits for approval needs uploads that have arrived, and a draft does not", async () => {
    const { json, first, call } = await importing({
      workspace: { approval: "all" },
      outside: { bucket: memoryBucket().bucket },
    });
    const body = { content_type: "image/png", bytes: 5 };
    const { id } = Object((await call("media.request-upload", { body })).body.media);
    const post = { text: "a", channels: [first], media: [id] };
    const { rows } = await json([post, { ...post, draft: true }]);
    expect(rows.map(codes)).toEqual([["media_not_uploaded /media/0"], []]);
  });
});

describe("the files of a row", () => {
  it("at addresses that are not called are refused, each by its number", async () => {
    const check = (url: string) => (url.includes("inside") ? "url_not_public" : new URL(url));
    const outbound = { check, warn: () => [], admit: async (url: string) => new URL(url), fetch: () => expect.fail() };
    const { csv, first, readFiles } = await importing({ outside: { outbound } });
    const urls = "https://files.example/a.jpg|https://inside.example/b.jpg";
    const { rows } = await csv(["text,channels,media_urls", `a,${first},${urls}`]);
    expect(rows.map(codes)).toEqual([["url_not_public /media_urls/1"]]);
    expect(await readFiles()).toEqual([]);
  });

  it("have descriptions up to the limit, and not beyond it", async () => {
    const { csv, first, readFiles } = await importing();
    const url = "https://files.example/a.jpg";
    const row = (alt: string) => csv(["text,channels,media_urls,alt", `a,${first},${url},${alt}`]);
    expect((await row("x".repeat(ALT_LENGTH_MAX + 1))).rows.map(codes)).toEqual([["alt_too_long /alt"]]);
    expect((await row("x".repeat(ALT_LENGTH_MAX))).body).toMatchObject({ created: 1 });
    expect((await readFiles()).map(({ alt }) => alt?.length)).toEqual([ALT_LENGTH_MAX]);
  });

  it("are registered under one id wherever the row names them", async () => {
    const { json, readInOrder, readFiles, taken } = await importing({ channel: { platform: "x" } });
    const thread = [{ text: "more" }, { text: "most", media: ["med_there"] }];
    const overrides = { x: { text: "own" } };
    const { rows } = await json([
      media("med_there"),
      { text: "a", channels: ["x:@ada"], draft: true },
      { text: "b", channels: [], media: ["med_there"], thread, draft: true },
      { text: "c", channels: [], thread, overrides, draft: true },
    ]);
    expect(rows.map(codes)).toEqual([["unknown_channel /channels/0"], [], ["unknown_channel /overrides/x"]]);
    expect([await readFiles(), taken.length]).toEqual([[], 1]);
    const again = await json([
      media("med_there"),
      { text: "b", channels: [], media: ["med_there"], thread, draft: true },
    ]);
    expect(again.body).toMatchObject({ created: 1 });
    const [file] = await readFiles();
    expect(file?.id).toMatch(/^med_/);
    expect(file?.id).not.toBe("med_there");
    expect(await readInOrder()).toMatchObject([
      {
        media: [file?.id],
        thread: [
          { text: "more", media: [] },
          { text: "most", media: [file?.id] },
        ],
      },
    ]);
    expect(taken.at(-1)).toEqual(["media_workspace", 1]);
  });

  it("may be in the thread and the thumbnail that one channel has of its own", async () => {
    const { json, first, readInOrder, readFiles } = await importing({ channel: { platform: "youtube" } });
    const own = { thread: [{ text: "more", media: ["med_there"] }], thumbnail_media: "med_there", title: "Film" };
    const { rows } = await json([
      media("med_there"),
      { text: "a", channels: [first], overrides: { [first]: { ...own, thread: [] } }, draft: true },
    ]);
    expect(rows.map(codes)).toEqual([[]]);
    const [file] = await readFiles();
    expect(await readInOrder()).toMatchObject([{ overrides: { [first]: { thumbnail_media: file?.id, thread: [] } } }]);
    const onX = await importing({ channel: { platform: "x" } });
    const threads = { [onX.first]: { thread: [{ text: "more", media: ["med_there"] }] } };
    await onX.json([media("med_there"), { text: "a", channels: [onX.first], overrides: threads, draft: true }]);
    const [other] = await onX.readFiles();
    expect(await onX.readInOrder()).toMatchObject([
      { overrides: { [onX.first]: { thread: [{ text: "more", media: [other?.id] }] } } },
    ]);
  });

  it("that the workspace has already stay as they are", async () => {
    const { json, call, readInOrder, readFiles, first } = await importing();
    const { body } = await call("media.register", { body: { url: "https://files.example/own.jpg", kind: "image" } });
    const id = String(body.id);
    await json([media(id), { text: "a", channels: [first], media: [id] }]);
    expect(await readInOrder()).toMatchObject([{ media: [id] }]);
    expect(await readFiles()).toMatchObject([{ id, url: "https://files.example/own.jpg" }]);
  });
});
