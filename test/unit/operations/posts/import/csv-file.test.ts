// A spreadsheet as the posts that its rows are: cells, lists, files and descriptions, and what is wrong with a row or the whole file.
import { describe, expect, it } from "vitest";
import { IMPORT_ROWS_MAX, MEDIA_PER_POST_MAX } from "../../../../../src/domain/limits.ts";
import { Refusal } from "../../../../../src/domain/refusal.ts";
import { findColumn, readCsvFile } from "../../../../../src/operations/posts/import/read-csv-file.ts";

const rowsOf = (...lines: string[]) => readCsvFile(lines.join("\n")).rows;
const rowOf = (header: string, line: string) => rowsOf(header, line)[0] ?? expect.fail("it has no row");
const filesOf = (header: string, line: string) => [...rowOf(header, line).files.values()];
function refusedFile(...lines: string[]): Refusal {
  try {
    rowsOf(...lines);
  } catch (error) {
    return error instanceof Refusal ? error : expect.fail(String(error));
  }
  return expect.fail("it was not refused");
}
const urls = (count: number) => Array.from({ length: count }, (_, i) => `https://files.example/${i}.jpg`);

describe("a row of a spreadsheet", () => {
  it("is the post of its filled cells, trimmed but for the text", () => {
    const header = "Text, CHANNELS ,publish_at,labels,media,post_type,media_fit,draft,external_id";
    const row = rowOf(header, ` hello ,telegram | bluesky, 2026-12-01T09:00 ,a|,med_1, story , adapt , TRUE , A-1 `);
    expect(row).toMatchObject({ line: 2, externalId: "A-1", broken: [] });
    expect(row.body).toEqual({
      text: " hello ",
      channels: ["telegram", "bluesky"],
      publish_at: "2026-12-01T09:00",
      labels: ["a"],
      media: ["med_1"],
      post_type: "story",
      media_fit: "adapt",
      draft: true,
      metadata: { external_id: "A-1" },
    });
  });

  it("has no fields for cells that are empty, blank or not there", () => {
    const row = rowOf("text,channels,labels,external_id,draft,media_urls,alt", "hello, ,  , ");
    expect(row).toMatchObject({ externalId: null, broken: [] });
    expect([row.body, row.files.size]).toEqual([{ text: "hello" }, 0]);
  });

  it("is a draft or not in any letters, and any other word is left to the judge of the post", () => {
    expect(rowOf("draft", "false").body).toEqual({ draft: false });
    expect(rowOf("draft", " FALSE ").body).toEqual({ draft: false });
    expect(rowOf("draft", "true").body).toEqual({ draft: true });
    expect(rowOf("draft", "yes").body).toEqual({ draft: "yes" });
  });

  it("is told of cells beyond the header, unless they are empty", () => {
    expect(rowOf("text,draft", "hello,true,, ,").broken).toEqual([]);
    expect(rowOf("text,draft", "hello,true,,x").broken).toMatchObject([
      {
        code: "invalid_field",
        message: "The row has 4 columns, and the header 2.",
        hint: "A text with a comma or a line break stands in quotes.",
      },
    ]);
  });
});

describe("the addresses of a row's files", () => {
  it("are its files by address, behind those that it names by id, of the kind that the address says", () => {
    const [first, film] = ["https://files.example/a.png", "https://files.example/b.MP4?x=1"];
    const row = rowOf("media,media_urls", `med_1,${first}|${film}`);
    expect(row.body.media).toEqual(["med_1", first, film]);
    expect([...row.files]).toEqual([
      [first, { url: first, kind: "image", alt: null }],
      [film, { url: film, kind: "video", alt: null }],
    ]);
  });

  it("have a description each, and one file has the whole cell as its own", () => {
    const alts = (cell: string, count: number) =>
      filesOf("media_urls,alt", `${urls(count).join("|")},${cell}`).map(({ alt }) => alt);
    expect(alts(" a | b ", 2)).toEqual(["a", "b"]);
    expect(alts("a|", 2)).toEqual(["a", null]);
    expect(alts(" a | b ", 1)).toEqual(["a | b"]);
    expect(alts(" ", 1)).toEqual([null]);
    const [url] = urls(1);
    expect(rowOf("media_urls,alt", `${url},a`).body).toEqual({ media: [url] });
  });

  it("are told of descriptions that are more or fewer, but not of none", () => {
    const brokenBy = (alt: string) => rowOf("media_urls,alt", `${urls(2).join("|")},${alt}`).broken;
    expect(brokenBy("  ")).toEqual([]);
    expect(brokenBy("a|b")).toEqual([]);
    expect(brokenBy("a|b|c")).toMatchObject([
      {
        code: "invalid_field",
        field: "/alt",
        message: "There are 3 descriptions for 2 files.",
        hint: "Divide them by `|`, one for each file.",
      },
    ]);
    expect(rowOf("media_urls,alt", ",a|b").broken).toMatchObject([
      { message: "There are 2 descriptions for 0 files." },
    ]);
  });

  it("are one file where an address stands there twice, with its first description", () => {
    const [url] = urls(1);
    expect(filesOf("media_urls,alt", `${url}|${url},first|second`)).toEqual([{ url, kind: "image", alt: "first" }]);
  });

  it("that do not say what the file is are told so, with their beginning, and count as images", () => {
    const url = `https://files.example/${"a".repeat(200)}`;
    const row = rowOf("media_urls", url);
    expect(row.broken).toMatchObject([
      {
        code: "media_format_not_allowed",
        field: "/media_urls",
        message: `Its address does not say what ${url.slice(0, 100)} is.`,
        hint: "Register it with `POST /v1/media`, and name its id in the column `media`.",
      },
    ]);
    expect([...row.files.values()]).toMatchObject([{ kind: "image" }]);
  });

  it("may be as many as a post has files, and not one more", () => {
    const full = rowOf("media_urls", urls(MEDIA_PER_POST_MAX).join("|"));
    expect([full.files.size, full.broken]).toEqual([MEDIA_PER_POST_MAX, []]);
    const over = rowOf("media_urls", urls(MEDIA_PER_POST_MAX + 1).join("|"));
    expect([over.files.size, over.body]).toEqual([0, {}]);
    expect(over.broken).toMatchObject([
      {
        code: "invalid_field",
        field: "/media_urls",
        message: `There are ${MEDIA_PER_POST_MAX + 1} addresses, and a post has at most ${MEDIA_PER_POST_MAX} files.`,
      },
    ]);
  });
});

describe("a spreadsheet that is refused as a whole", () => {
  it("says at which line a quote is not closed, and how one is written", () => {
    const { code, message, detail } = refusedFile("text", '"a"b');
    expect([code, message]).toEqual([
      "malformed_file",
      "Line 2: a quote is not closed, or something stands between it and the next column.",
    ]);
    expect(detail.hint).toBe("A quote inside a cell is written twice.");
  });

  it("says that it is empty", () => {
    expect(refusedFile("").message).toBe("The file is empty.");
  });

  it("names the column that nobody knows with its line, the near one and all that there are", () => {
    const { code, message, detail } = refusedFile("", "text,Chanels", "x,y");
    expect([code, message, detail.field]).toEqual(["unknown_field", "Line 2: unknown column `chanels`.", "/chanels"]);
    expect(detail.hint).toBe(
      "Did you mean `channels`? Columns: text, media, channels, labels, post_type, media_fit, publish_at, draft, media_urls, alt, external_id.",
    );
    expect(refusedFile(`text,${"x".repeat(200)}`).detail.field).toBe(`/${"x".repeat(100)}`);
  });

  it("names the column that stands there twice", () => {
    expect(refusedFile("text,TEXT", "x,y").message).toBe("The column `text` is there twice.");
  });

  it("has one row more than an import takes", () => {
    const rows = Array.from({ length: IMPORT_ROWS_MAX }, (_, i) => `post ${i}`);
    expect(rowsOf("text", ...rows)).toHaveLength(IMPORT_ROWS_MAX);
    expect(refusedFile("text", ...rows, "one more").code).toBe("too_many_rows");
  });
});

describe("the column of a field", () => {
  const row = rowOf("media,media_urls", `med_1,${urls(1)[0]}`);

  it.each([
    ["/text", "text"],
    ["/channels/1", "channels"],
    ["/metadata/external_id", "external_id"],
    ["/metadata", "external_id"],
    ["/external_id", "external_id"],
    ["/media", "media"],
    ["/media/0", "media"],
    ["/media/1", "media_urls"],
    ["/media/2", "media"],
    ["/media_urls/0", "media_urls"],
    ["/overrides/ch_1/text", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("%s is %s", (field, column) => {
    expect(findColumn(row, field)).toBe(column);
  });

  it("of a file is that of ids where the body has no list", () => {
    expect(findColumn({ ...row, body: {} }, "/media/0")).toBe("media");
  });
});
