// Texts as LinkedIn stores them: people see exactly what was written.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLittleText } from "../../simulators/linkedin/little-text.ts";
import { escapeText, shownText } from "../../src/networks/linkedin/text.ts";
import { countRuns } from "../support/runs.ts";

describe("escaping a LinkedIn text", () => {
  it("covers every reserved character, including backslashes", () => {
    expect(escapeText("\\ | { } @ [ ] ( ) < > # * _ ~")).toBe(
      "\\\\ \\| \\{ \\} \\@ \\[ \\] \\( \\) \\< \\> \\# \\* \\_ \\~",
    );
    expect(escapeText("plain text, with: marks! & $ % ` ' \"")).toBe("plain text, with: marks! & $ % ` ' \"");
  });

  it.each([
    ["#crier at the start", ["#crier"]],
    ["in the #middle, at the end #too", ["#middle", "#too"]],
    ['(#inside) "#quoted" #über #标签 #b2b', ["#inside", "#quoted", "#über", "#标签", "#b2b"]],
    ["#snake_case ends at the underscore", ["#snake"]],
  ])("keeps the hashtags of %j", (text, tags) => {
    const { text: visibleText, marks } = readLittleText(escapeText(text));
    expect(visibleText).toBe(text);
    expect(marks.map(({ start, end }) => visibleText.slice(start, end))).toEqual(tags);
  });

  it.each(["C# and F#", "issue #42", "https://example.com/#top", "a#b", "##twice", "# heading", "#"])(
    "makes no hashtag of %j",
    (text) => {
      expect(readLittleText(escapeText(text))).toMatchObject({ text, marks: [] });
    },
  );

  it("leaves no mention, template or markup that the network would interpret", () => {
    const text = "@[Acme](urn:li:fs:1) @[Acme]() {hashtag|\\#|tag} **bold** <b>";
    expect(readLittleText(escapeText(text))).toMatchObject({ text, marks: [] });
  });

  it("shows any text exactly as written, and reads it back", () => {
    const piece = fc.oneof(
      fc.constantFrom(..."\\|{}@[]()<>#*_~ a#", "#tag", "\n", "👩‍👩‍👧", "ü"),
      fc.string({ unit: "grapheme" }),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join("");
        const readBack = readLittleText(escapeText(text));
        expect(readBack.text).toBe(text);
        expect(shownText(readBack.stored)).toBe(text);
      }),
      { numRuns: countRuns(2_000) },
    );
  });
});

it("reads a text by others with its mentions and templates as plain names", () => {
  expect(shownText("Hello @[Acme \\(EU\\)](urn:li:organization:1), {hashtag|\\#|my\\_tag} {hashtag|＃|two}")).toBe(
    "Hello @Acme (EU), #my_tag ＃two".replace("@", ""),
  );
});
