// Reads the rows of a CSV file as posts, with the faults of rows and of the whole file.
import { describe, expect, it } from "vitest";
import { IMPORT_ROWS_MAX, MEDIA_PER_POST_MAX } from "../../../../../src/domain/limits.ts";
import { Refusal } from "../../../../../src/domain/refusal.ts";
import { findColumn, readCsvFile } from "../../../../../src/operations/posts/import/read-csv-file.ts";

const readRows = (...lines: string[]) => readCsvFile(lines.join("\n")).rows;
const readRow = (header: string, line: string) => readRows(header, line)[0] ?? expect.fail("it has no row");
const readFiles = (header: string, line: string) => [...readRow(header, line).files.values()];
function getRefusal(...lines: string[]): Refusal {
  try {
    readRows(...lines);
  } catch (error) {
    return error instanceof Refusal ? error : expect.fail(String(error));
  }
  return expect.fail("it was not refused");
}
const makeUrls = (count: number) => Array.from({ length: count }, (_, i) => `https://files.example/${i}.jpg`);

describe("a row of a spreadsheet", () => {
  it("a row becomes a post with its non-empty cells, trimmed except for the text", () => {
    const header = "Text, CHANNELS ,publish_at,labels,media,post_type,media_fit,draft,external_id";
    const row = readRow(header, ` hello ,telegram | bluesky, 2026-12-01T09:00 ,a|,med_1, story , adapt , TRUE , A-1 `);
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

  it("a row has no fields for cells that are empty, blank or missing", () => {
    const row = readRow("text,channels,labels,external_id,draft,media_urls,alt", "hello, ,  , ");
    expect(row).toMatchObject({ externalId: null, broken: [] });
    expect([row.body, row.files.size]).toEqual([{ text: "hello" }, 0]);
  });

  it("the cell of a draft is read in upper and lower case, and another word stays for the later check", () => {
    expect(readRow("draft", "false").body).toEqual({ draft: false });
    expect(readRow("draft", " FALSE ").body).toEqual({ draft: false });
    expect(readRow("draft", "true").body).toEqual({ draft: true });
    expect(readRow("draft", "yes").body).toEqual({ draft: "yes" });
  });

  it("non-empty cells beyond the header are a fault of the row", () => {
    expect(readRow("text,draft", "hello,true,, ,").broken).toEqual([]);
    expect(readRow("text,draft", "hello,true,,x").broken).toMatchObject([
      {
        code: "invalid_field",
        message: "The row has 4 columns, and the header 2.",
        hint: "A text with a comma or a line break stands in quotes.",
      },
    ]);
  });
});

describe("the addresses of a row's files", () => {
  it("addresses of files follow the files with ids, and their endings determine the kind", () => {
    const [first, film] = ["https://files.example/a.png", "https://files.example/b.MP4?x=1"];
    const row = readRow("media,media_urls", `med_1,${first}|${film}`);
    expect(row.body.media).toEqual(["med_1", first, film]);
    expect([...row.files]).toEqual([
      [first, { url: first, kind: "image", alt: null }],
      [film, { url: film, kind: "video", alt: null }],
    ]);
  });

  it("each address has its own alt text, and a single file has the whole cell as its alt text", () => {
    const alts = (cell: string, count: number) =>
      readFiles("media_urls,alt", `${makeUrls(count).join("|")},${cell}`).map(({ alt }) => alt);
    expect(alts(" a | b ", 2)).toEqual(["a", "b"]);
    expect(alts("a|", 2)).toEqual(["a", null]);
    expect(alts(" a | b ", 1)).toEqual(["a | b"]);
    expect(alts(" ", 1)).toEqual([null]);
    const [url] = makeUrls(1);
    expect(readRow("media_urls,alt", `${url},a`).body).toEqual({ media: [url] });
  });

  it("too many or too few alt texts are a fault of the row, and no alt texts are not", () => {
    const brokenBy = (alt: string) => readRow("media_urls,alt", `${makeUrls(2).join("|")},${alt}`).broken;
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
    expect(readRow("media_urls,alt", ",a|b").broken).toMatchObject([
      { message: "There are 2 descriptions for 0 files." },
    ]);
  });

  it("a repeated address is one file, with its first alt text", () => {
    const [url] = makeUrls(1);
    expect(readFiles("media_urls,alt", `${url}|${url},first|second`)).toEqual([{ url, kind: "image", alt: "first" }]);
  });

  it("an address without a known ending is a fault of the row, and counts as an image", () => {
    const url = `https://files.example/${"a".repeat(200)}`;
    const row = readRow("media_urls", url);
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

  it("a row may have as many addresses as a post may have files, and not one more", () => {
    const full = readRow("media_urls", makeUrls(MEDIA_PER_POST_MAX).join("|"));
    expect([full.files.size, full.broken]).toEqual([MEDIA_PER_POST_MAX, []]);
    const over = readRow("media_urls", makeUrls(MEDIA_PER_POST_MAX + 1).join("|"));
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
  it("the refusal of an unclosed quote names the line, and how to write a quote", () => {
    const { code, message, detail } = getRefusal("text", '"a"b');
    expect([code, message]).toEqual([
      "malformed_file",
      "Line 2: a quote is not closed, or something stands between it and the next column.",
    ]);
    expect(detail.hint).toBe("A quote inside a cell is written twice.");
  });

  it("an empty file is refused", () => {
    expect(getRefusal("").message).toBe("The file is empty.");
  });

  it("the refusal of an unknown column names its line, a similar column and all columns", () => {
    const { code, message, detail } = getRefusal("", "text,Chanels", "x,y");
    expect([code, message, detail.field]).toEqual(["unknown_field", "Line 2: unknown column `chanels`.", "/chanels"]);
    expect(detail.hint).toBe(
      "Did you mean `channels`? Columns: text, media, channels, labels, post_type, media_fit, publish_at, draft, media_urls, alt, external_id.",
    );
    expect(getRefusal(`text,${"x".repeat(200)}`).detail.field).toBe(`/${"x".repeat(100)}`);
  });

  it("the refusal of a repeated column names it", () => {
    expect(getRefusal("text,TEXT", "x,y").message).toBe("The column `text` is there twice.");
  });

  it("a file with one row more than an import may have is refused", () => {
    const rows = Array.from({ length: IMPORT_ROWS_MAX }, (_, i) => `post ${i}`);
    expect(readRows("text", ...rows)).toHaveLength(IMPORT_ROWS_MAX);
    expect(getRefusal("text", ...rows, "one more").code).toBe("too_many_rows");
  });
});

describe("the column of a field", () => {
  const row = readRow("media,media_urls", `med_1,${makeUrls(1)[0]}`);

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
  ])("the column of the field %s is %s", (field, column) => {
    expect(findColumn(row, field)).toBe(column);
  });

  it("the column of a file is that of ids if the body has no list", () => {
    expect(findColumn({ ...row, body: {} }, "/media/0")).toBe("media");
  });
});
