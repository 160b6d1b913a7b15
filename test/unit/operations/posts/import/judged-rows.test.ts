// Rows of an import are checked like posts. The report of each row lists its violations.
import { describe, expect, it } from "vitest";
import { ALT_LENGTH_MAX } from "../../../../../src/domain/limits.ts";
import { memoryBucket } from "../../../../support/memory-bucket.ts";
import { setUpImport } from "./importing.ts";

const LONG = "x".repeat(5_000);
const makeMediaLine = (id: string, fields: object = {}) => ({
  type: "media",
  id,
  url: "https://files.example/a.jpg",
  kind: "image",
  alt: null,
  ...fields,
});
const listCodes = (
  { violations }: { violations: { code: string; field?: string | undefined }[] } | undefined = expect.fail(),
) => violations.map(({ code, field }) => `${code} ${field}`);

describe("a row that breaks rules", () => {
  it("a row with invalid JSON has only that violation", async () => {
    const { lines } = await setUpImport();
    const { rows } = await lines(["{ not json"]);
    expect(rows.map(listCodes)).toEqual([["malformed_json undefined"]]);
  });

  it("a row lists its fields of a wrong type together with its unknown channels and extra cells", async () => {
    const { json, csv, first } = await setUpImport();
    const [broken] = (await json([{ text: 7, labels: [1], channels: ["nowhere"] }])).rows;
    expect(listCodes(broken)).toEqual([
      "unknown_channel /channels/0",
      "invalid_field /text",
      "invalid_field /labels/0",
    ]);
    const { rows } = await csv(["text,channels", `a,${first},,more`]);
    expect(rows.map(listCodes)).toEqual([["invalid_field undefined"]]);
  });

  it("a row must not have the fields `dry_run` and `media_preview`", async () => {
    const { json, first } = await setUpImport();
    const { rows } = await json([{ text: "a", channels: [first], dry_run: true, media_preview: [] }]);
    expect(listCodes(rows[0])).toEqual(["unknown_field /dry_run", "unknown_field /media_preview"]);
  });

  it("a row must not use the next slot, and the hint says how to find free slots", async () => {
    const { json, first } = await setUpImport();
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

  it("missing channels are reported only if the row names none at all", async () => {
    const { json } = await setUpImport();
    const { rows } = await json([
      { text: "a", channels: [] },
      { text: "b", channels: ["nowhere"] },
      { text: "c", channels: ["nowhere"], media: ["med_01hzx0000000000000000000ab"] },
    ]);
    expect(rows.map(listCodes)).toEqual([
      ["channels_required /channels"],
      ["unknown_channel /channels/0"],
      ["unknown_channel /channels/0", "unknown_media /media/0"],
    ]);
  });

  it("a date in the format of a spreadsheet has its own hint, and other violations do not have it", async () => {
    const { csv, first } = await setUpImport();
    const { rows } = await csv(["text,channels,publish_at", `${LONG},${first},46000.375`]);
    const hints = new Map(rows[0]?.violations.map(({ code, hint }) => [code, hint]));
    expect(hints.get("publish_at_invalid")).toContain("Write it as `2026-12-01T09:00`; in a spreadsheet");
    expect(hints.get("text_too_long")).not.toContain("spreadsheet");
  });

  it("a row with a channel that cannot publish is refused", async () => {
    const { json, first } = await setUpImport({ channel: { credential: null, credentialId: "" } });
    const { rows } = await json([{ text: "a", channels: [first] }]);
    expect(rows[0]?.violations).toMatchObject([
      { code: "channel_not_connected", field: "/channels", message: expect.stringContaining("has no credential yet") },
    ]);
  });

  it("a row that waits for approval needs arrived uploads, and a draft does not", async () => {
    const { json, first, call } = await setUpImport({
      workspace: { approval: "all" },
      outside: { bucket: memoryBucket().bucket },
    });
    const body = { content_type: "image/png", bytes: 5 };
    const { id } = Object((await call("media.request-upload", { body })).body.media);
    const post = { text: "a", channels: [first], media: [id] };
    const { rows } = await json([post, { ...post, draft: true }]);
    expect(rows.map(listCodes)).toEqual([["media_not_uploaded /media/0"], []]);
  });
});

describe("the files of a row", () => {
  it("a file at a private address is refused with its position", async () => {
    const check = (url: string) => (url.includes("inside") ? "url_not_public" : new URL(url));
    const outbound = { check, warn: () => [], admit: async (url: string) => new URL(url), fetch: () => expect.fail() };
    const { csv, first, readFiles } = await setUpImport({ outside: { outbound } });
    const urls = "https://files.example/a.jpg|https://inside.example/b.jpg";
    const { rows } = await csv(["text,channels,media_urls", `a,${first},${urls}`]);
    expect(rows.map(listCodes)).toEqual([["url_not_public /media_urls/1"]]);
    expect(await readFiles()).toEqual([]);
  });

  it("the alt text of a row may be as long as its limit, and not longer", async () => {
    const { csv, first, readFiles } = await setUpImport();
    const url = "https://files.example/a.jpg";
    const row = (alt: string) => csv(["text,channels,media_urls,alt", `a,${first},${url},${alt}`]);
    expect((await row("x".repeat(ALT_LENGTH_MAX + 1))).rows.map(listCodes)).toEqual([["alt_too_long /alt"]]);
    expect((await row("x".repeat(ALT_LENGTH_MAX))).body).toMatchObject({ created: 1 });
    expect((await readFiles()).map(({ alt }) => alt?.length)).toEqual([ALT_LENGTH_MAX]);
  });

  it("a file that a row names several times is registered under one id", async () => {
    const { json, readInOrder, readFiles, limitsTaken } = await setUpImport({ channel: { platform: "x" } });
    const thread = [{ text: "more" }, { text: "most", media: ["med_there"] }];
    const overrides = { x: { text: "own" } };
    const { rows } = await json([
      makeMediaLine("med_there"),
      { text: "a", channels: ["x:@ada"], draft: true },
      { text: "b", channels: [], media: ["med_there"], thread, draft: true },
      { text: "c", channels: [], thread, overrides, draft: true },
    ]);
    expect(rows.map(listCodes)).toEqual([["unknown_channel /channels/0"], [], ["unknown_channel /overrides/x"]]);
    expect([await readFiles(), limitsTaken.length]).toEqual([[], 1]);
    const again = await json([
      makeMediaLine("med_there"),
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
    expect(limitsTaken.at(-1)).toEqual(["media_workspace", 1]);
  });

  it("files of a channel's own thread and thumbnail are registered", async () => {
    const { json, first, readInOrder, readFiles } = await setUpImport({ channel: { platform: "youtube" } });
    const overrideFields = {
      thread: [{ text: "more", media: ["med_there"] }],
      thumbnail_media: "med_there",
      title: "Film",
    };
    const { rows } = await json([
      makeMediaLine("med_there"),
      { text: "a", channels: [first], overrides: { [first]: { ...overrideFields, thread: [] } }, draft: true },
    ]);
    expect(rows.map(listCodes)).toEqual([[]]);
    const [file] = await readFiles();
    expect(await readInOrder()).toMatchObject([{ overrides: { [first]: { thumbnail_media: file?.id, thread: [] } } }]);
    const onX = await setUpImport({ channel: { platform: "x" } });
    const threads = { [onX.first]: { thread: [{ text: "more", media: ["med_there"] }] } };
    await onX.json([makeMediaLine("med_there"), { text: "a", channels: [onX.first], overrides: threads, draft: true }]);
    const [otherFile] = await onX.readFiles();
    expect(await onX.readInOrder()).toMatchObject([
      { overrides: { [onX.first]: { thread: [{ text: "more", media: [otherFile?.id] }] } } },
    ]);
  });

  it("files that the workspace already has are not registered again", async () => {
    const { json, call, readInOrder, readFiles, first } = await setUpImport();
    const { body } = await call("media.register", { body: { url: "https://files.example/own.jpg", kind: "image" } });
    const id = String(body.id);
    await json([makeMediaLine(id), { text: "a", channels: [first], media: [id] }]);
    expect(await readInOrder()).toMatchObject([{ media: [id] }]);
    expect(await readFiles()).toMatchObject([{ id, url: "https://files.example/own.jpg" }]);
  });
});
