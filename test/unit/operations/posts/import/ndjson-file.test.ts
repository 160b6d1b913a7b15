// Lines of JSON as the posts that they are: as the API takes them, or as another workspace has exported them.
import { describe, expect, it } from "vitest";
import { IMPORT_ROWS_MAX } from "../../../../../src/domain/limits.ts";
import { Refusal, violation } from "../../../../../src/domain/refusal.ts";
import { readNdjsonFile } from "../../../../../src/operations/posts/import/read-ndjson-file.ts";

const read = (...lines: unknown[]) =>
  readNdjsonFile(lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
const bodyOf = (line: object) => read(line).rows[0]?.body;

describe("a line of JSON", () => {
  it("is a post as the API takes it, with the number of its line and its own name", () => {
    const file = read("", { text: "a", publishAt: "x" }, "  ", { text: "b", metadata: { external_id: "7" } }, "");
    expect(file.isCsv).toBe(false);
    expect(file.rows).toMatchObject([
      { line: 2, externalId: null, body: { text: "a", publishAt: "x" }, broken: [] },
      { line: 4, externalId: "7", body: { text: "b" }, broken: [] },
    ]);
  });

  it("may have CRLF behind it, and a mark of byte order before the first and no other", () => {
    expect(readNdjsonFile('\ufeff{"text":"a"}\r\n{"text":"b"}\r\n').rows).toMatchObject([
      { line: 1, body: { text: "a" }, broken: [] },
      { line: 2, body: { text: "b" }, broken: [] },
    ]);
    expect(read({ text: "a" }, '\ufeff{"text":"b"}').rows[1]?.broken).toMatchObject([{ code: "malformed_json" }]);
  });

  it("has the name that its metadata says only where that is a text", () => {
    const names = [{ external_id: 7 }, { external_id: null }, "x", ["y"], null].map(
      (metadata) => read({ metadata }).rows[0]?.externalId,
    );
    expect(names).toEqual([null, null, null, null, null]);
  });

  it("that is no JSON, or no object, says so", () => {
    const [broken, list, number] = read("{ not json", "[]", "7").rows;
    expect(broken?.broken).toMatchObject([{ code: "malformed_json" }]);
    const usual = violation("malformed_json").message;
    expect(["The line is not a JSON object.", usual]).not.toContain(broken?.broken[0]?.message);
    expect(broken?.body).toEqual({});
    for (const row of [list, number]) {
      expect(row?.broken).toMatchObject([{ code: "malformed_json", message: "The line is not a JSON object." }]);
    }
  });

  it("with a character that cannot be passed on says where it is", () => {
    expect(read('{"text":"a\\u0000b"}').rows[0]?.broken).toMatchObject([
      { code: "invalid_field", field: "/text", message: expect.stringMatching(/./), hint: expect.stringMatching(/./) },
    ]);
  });

  it("is refused as one post too many, however long the text is", () => {
    const line = '{"text":"a"}';
    const full = Array.from({ length: IMPORT_ROWS_MAX }, () => line);
    expect(read(...full, "", { type: "event" }).rows).toHaveLength(IMPORT_ROWS_MAX);
    expect(() => read(...full, line)).toThrowError(
      expect.toSatisfy((error) => error instanceof Refusal && error.code === "too_many_rows"),
    );
  });
});

describe("a line that another workspace has exported", () => {
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

  it("is written with what somebody wrote, at its time while it is scheduled", () => {
    const { publish_at } = POST;
    expect(bodyOf({ ...POST, status: "scheduled" })).toEqual({ ...WRITTEN, publish_at });
    expect(bodyOf({ ...POST, status: "scheduled", publish_at: null })).toEqual(WRITTEN);
    expect(read({ ...POST, status: "draft" }).rows[0]?.externalId).toBe("7");
  });

  it("is a draft of its time where it waited, and of no time once it had begun to go out", () => {
    const { publish_at } = POST;
    for (const status of ["draft", "awaiting_approval"]) {
      expect(bodyOf({ ...POST, status })).toEqual({ ...WRITTEN, publish_at, draft: true });
    }
    for (const status of ["queued", "published", "failed", "cancelled", undefined]) {
      expect(bodyOf({ ...POST, status })).toEqual({ ...WRITTEN, draft: true });
    }
  });

  it("says what channels are called and where files are, for all posts of the file", () => {
    const { rows, channelNames } = read(
      { type: "workspace", id: "ws_there" },
      { type: "channel", id: "ch_there", platform: "telegram", handle: "@ada", state: "connected" },
      { type: "channel", id: "ch_broken", platform: "telegram" },
      { type: "media", id: "med_there", url: "https://files.example/a.jpg", kind: "image", alt: null, bytes: 5 },
      { type: "media", id: "med_broken", url: "https://files.example/a.jpg", kind: "sound", alt: null },
      { ...POST, status: "draft" },
      { type: "media", id: "med_later", url: "https://files.example/b.mp4", kind: "video", alt: "b" },
    );
    expect([...channelNames]).toEqual([["ch_there", "telegram:@ada"]]);
    expect(rows).toHaveLength(1);
    expect([...(rows[0]?.files ?? [])]).toMatchObject([
      ["med_there", { url: "https://files.example/a.jpg", kind: "image", alt: null }],
      ["med_later", { url: "https://files.example/b.mp4", kind: "video", alt: "b" }],
    ]);
  });

  it("of a type that nobody knows keeps it, which no post has", () => {
    expect(bodyOf({ type: "reel", text: "a" })).toEqual({ type: "reel", text: "a" });
    expect(bodyOf({ type: 7, text: "a" })).toEqual({ type: 7, text: "a" });
  });
});
