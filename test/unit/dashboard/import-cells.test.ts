// Fixing the cells of a CSV file in place.
import { describe, expect, it } from "vitest";
import { applyFixes, readBroken, splitCells } from "../../../src/dashboard/import/cells.ts";
import { buildTemplate } from "../../../src/dashboard/import/template.ts";

const FILE = 'text,channels\r\n"Hello, ""you""\r\nthere",x\r\nBye,nobody\r\n';
const ROWS = [
  { line: 2, valid: false },
  { line: 4, valid: false },
];

describe("a row of a CSV file", () => {
  it("is read with quotes, delimiters and line breaks in its cells", () => {
    expect([...(readBroken(FILE, ROWS).get(0) ?? [])]).toEqual([
      ["text", 'Hello, "you"\nthere'],
      ["channels", "x"],
    ]);
    expect(splitCells("a;b,c;", ";")).toEqual(["a", "b,c", ""]);
  });

  it("gets new values, while the other rows stay as they are", () => {
    const fixed = applyFixes(FILE, ROWS, new Map([[1, { channels: "x|bluesky", text: 'So "long"' }]]));
    expect(fixed).toBe('text,channels\n"Hello, ""you""\nthere",x\n"So ""long""",x|bluesky\n');
  });
});

describe("the template", () => {
  it("has one row for the workspace's own networks, a week ahead", () => {
    const [header, row] = buildTemplate(["x", "x", "bluesky", "tiktok"], Date.parse("2026-12-01T12:00:00Z")).split(
      "\n",
    );
    expect(header).toBe("text,channels,publish_at,media_urls,alt,labels");
    expect(row).toContain(",x|bluesky,2026-12-08T09:00,");
  });
});
