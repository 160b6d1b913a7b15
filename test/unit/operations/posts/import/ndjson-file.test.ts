// Reads JSON lines as posts, in the format of the API or of an export.
import { describe, expect, it } from "vitest";
import { IMPORT_ROWS_MAX } from "../../../../../src/domain/limits.ts";
import { Refusal, violation } from "../../../../../src/domain/refusal.ts";
import { readNdjsonFile } from "../../../../../src/operations/posts/import/read-ndjson-file.ts";

const read = (...lines: unknown[]) =>
  readNdjsonFile(lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
const readBody = (line: object) => read(line).rows[0]?.body;

describe("a line of JSON", () => {
  it("a line of JSON is a post in the format of the API, with its line number and external id", () => {
    const file = read("", { text: "a", publishAt: "x" }, "  ", { text: "b", metadata: { external_id: "7" } }, "");
    expect(file.isCsv).toBe(false);
    expect(file.rows).toMatchObject([
      { line: 2, externalId: null, body: { text: "a", publishAt: "x" }, broken: [] },
      { line: 4, externalId: "7", body: { text: "b" }, broken: [] },
    ]);
  });

  it("lines may end with CRLF, and only the first line may begin with a byte order mark", () => {
    expect(readNdjsonFile('\ufeff{"text":"a"}\r\n{"text":"b"}\r\n').rows).toMatchObject([
      { line: 1, body: { text: "a" }, broken: [] },
      { line: 2, body: { text: "b" }, broken: [] },
    ]);
    expect(read({ text: "a" }, '\ufeff{"text":"b"}').rows[1]?.broken).toMatchObject([{ code: "malformed_json" }]);
  });

  it("the external id of a line is read from its metadata only if it is a text", () => {
    const names = [{ external_id: 7 }, { external_id: null }, "x", ["y"], null].map(
      (metadata) => read({ metadata }).rows[0]?.externalId,
    );
    expect(names).toEqual([null, null, null, null, null]);
  });

  it("a line that is not JSON, or not an object, has a violation", () => {
    const [broken, list, number] = read("{ not json", "[]", "7").rows;
    expect(broken?.broken).toMatchObject([{ code: "malformed_json" }]);
    const usual = violation("malformed_json").message;
    expect(["The line is not a JSON object.", usual]).not.toContain(broken?.broken[0]?.message);
    expect(broken?.body).toEqual({});
    for (const row of [list, number]) {
      expect(row?.broken).toMatchObject([{ code: "malformed_json", message: "The line is not a JSON object." }]);
    }
  });

  it("a line with a forbidden character has a violation with the field", () => {
    expect(read('{"text":"a\\u0000b"}').rows[0]?.broken).toMatchObject([
      { code: "invalid_field", field: "/text", message: expect.stringMatching(/./), hint: expect.stringMatching(/./) },
    ]);
  });

  it("a file with one post more than an import may have is refused", () => {
    const line = '{"text":"a"}';
    const full = Array.from({ length: IMPORT_ROWS_MAX }, () => line);
    expect(read(...full, "", { type: "event" }).rows).toHaveLength(IMPORT_ROWS_MAX);
    expect(() => read(...full, line)).toThrowError(
      expect.toSatisfy((error) => error instanceof Refusal && error.code === "too_many_rows"),
    );
  });
});

describe("a line of an export", () => {
  const POST = {
    type: "post",
    id: "post_1",
    text: "a",
    media: ["med_there"],
    thread: null,
    channels: ["ch_there"],
    overrides: { ch_there: { silent: true } },
    post_type: "story",
    media_fit: "adapt",
    labels: ["x"],
    metadata: { external_id: "7" },
    rev: 4,
    publish_at: "2026-12-01T09:00:00.000Z",
  };
  const WRITTEN = {
    text: "a",
    media: ["med_there"],
    channels: ["ch_there"],
    overrides: { ch_there: { silent: true } },
    post_type: "story",
    media_fit: "adapt",
    labels: ["x"],
    metadata: { external_id: "7" },
  };

  it("a line of an export keeps the written fields, and the time of a scheduled post", () => {
    const { publish_at } = POST;
    expect(readBody({ ...POST, status: "scheduled" })).toEqual({ ...WRITTEN, publish_at });
    expect(readBody({ ...POST, status: "scheduled", publish_at: null })).toEqual(WRITTEN);
    expect(read({ ...POST, status: "draft" }).rows[0]?.externalId).toBe("7");
  });

  it("other posts of an export become drafts, with a time only if they had not begun to be sent", () => {
    const { publish_at } = POST;
    for (const status of ["draft", "awaiting_approval"]) {
      expect(readBody({ ...POST, status })).toEqual({ ...WRITTEN, publish_at, draft: true });
    }
    for (const status of ["queued", "published", "failed", "cancelled", undefined]) {
      expect(readBody({ ...POST, status })).toEqual({ ...WRITTEN, draft: true });
    }
  });

  it("lines with channels and files of an export apply to all posts of the file", () => {
    const { rows, channelNames } = read(
      { type: "workspace", id: "ws_there" },
      { type: "channel", id: "ch_there", platform: "telegram", handle: "@ada", state: "connected" },
      { type: "channel", id: "ch_broken", platform: "telegram" },
      { type: "media", id: "med_there", url: "https://files.example/a.jpg", kind: "image", alt: null, bytes: 5 },
      { type: "media", id: "med_broken", url: "https://files.example/a.jpg", kind: "sound", alt: null },
      { ...POST, status: "draft" },
      { type: "media", id: "med_later", url: "https://files.example/b.mp4", kind: "video", alt: "b", name: "b.mp4" },
      {
        type: "media",
        id: "med_odd",
        url: "https://files.example/c.jpg",
        kind: "image",
        alt: null,
        name: 7,
        tags: [""],
      },
    );
    expect([...channelNames]).toEqual([["ch_there", "telegram:@ada"]]);
    expect(rows).toHaveLength(1);
    expect([...(rows[0]?.files ?? [])]).toMatchObject([
      ["med_there", { url: "https://files.example/a.jpg", kind: "image", alt: null }],
      ["med_later", { url: "https://files.example/b.mp4", kind: "video", alt: "b", name: "b.mp4" }],
      ["med_odd", { url: "https://files.example/c.jpg", name: undefined, tags: undefined }],
    ]);
  });

  it("a line of an unknown type keeps its type, which the later check refuses", () => {
    expect(readBody({ type: "reel", text: "a" })).toEqual({ type: "reel", text: "a" });
    expect(readBody({ type: 7, text: "a" })).toEqual({ type: 7, text: "a" });
  });
});
