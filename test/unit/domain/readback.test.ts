// What is called altered of a post that is read back, and what nobody sees.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filesAltered, textAltered } from "../../../src/domain/delivery/readback.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { runsOf } from "../../support/runs.ts";

describe("a text that is read back", () => {
  const accepted = "Caf\u00e9 au lait\nfor two\n\nand more";

  it.each([
    ["with accents in another form", accepted.normalize("NFD")],
    ["with the line ends of Windows", accepted.replaceAll("\n", "\r\n")],
    ["with the line ends of an old Mac", accepted.replaceAll("\n", "\r")],
    ["with spaces at the ends of lines", accepted.replaceAll("\n", " \t \n")],
    ["with a space that does not break at the ends of lines", accepted.replaceAll("\n", "\u00a0\n")],
    ["with space around the whole", `\n  ${accepted} \n\n`],
  ])("is as it was accepted %s", (_, shown) => {
    expect(textAltered(shown, accepted)).toEqual([]);
    expect(textAltered(accepted, shown)).toEqual([]);
  });

  it.each([
    ["without a space between words", accepted.replace("au lait", "aulait")],
    ["with one space more between words", accepted.replace("au lait", "au  lait")],
    ["with a line moved to the right", accepted.replace("\nfor", "\n for")],
    ["on one line", accepted.replaceAll("\n", " ")],
    ["without its empty line", accepted.replace("\n\n", "\n")],
    ["without an accent", accepted.replace("\u00e9", "e")],
    ["cut short", accepted.slice(0, -1)],
    ["in capitals", accepted.toUpperCase()],
    ["empty", ""],
  ])("is altered %s", (_, shown) => {
    expect(textAltered(shown, accepted)).toEqual(["text"]);
  });

  it("is never altered by invisible characters in any text", () => {
    const space = fc.string({ unit: fc.constantFrom(" ", "\t", "\u00a0", "\u3000"), maxLength: 3 });
    const line = fc.string({ unit: anyCharacter, maxLength: 12 });
    const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
    fc.assert(
      fc.property(fc.array(fc.tuple(line, space), { maxLength: 6 }), lineEnd, (lines, end) => {
        const written = lines.map(([line, space]) => ({ line: line.replace(/[\r\n]/g, ""), space }));
        const shown = written.map(({ line, space }) => line.normalize("NFD") + space + end);
        expect(textAltered(shown.join(""), written.map(({ line }) => line).join("\n"))).toEqual([]);
      }),
      { numRuns: runsOf(300) },
    );
  });

  it("that the network omits is altered unless the accepted text was empty", () => {
    for (const none of [null, undefined]) {
      expect(textAltered(none, "")).toEqual([]);
      expect(textAltered(none, accepted)).toEqual(["text"]);
    }
  });

  it("is called the title if it is one", () => {
    expect(textAltered("Another", "A title", "title")).toEqual(["title"]);
    expect(textAltered("A title", "A title", "title")).toEqual([]);
  });
});

describe("files that are read back", () => {
  it("are as they were sent, in the same order", () => {
    expect(filesAltered([], [])).toEqual([]);
    expect(filesAltered(["a", "b", "c"], ["a", "b", "c"])).toEqual([]);
  });

  it("are altered in number if a file is missing or was added", () => {
    expect(filesAltered(["a"], ["a", "b"])).toEqual(["media_count"]);
    expect(filesAltered(["a", "b"], ["a"])).toEqual(["media_count"]);
    expect(filesAltered([], ["a"])).toEqual(["media_count"]);
  });

  it("are altered in order if the same files are shown in a different order", () => {
    expect(filesAltered(["b", "a", "c"], ["a", "b", "c"])).toEqual(["media_order"]);
  });

  it("are only counted if the network shows them under different ids", () => {
    expect(filesAltered(["x", "y"], ["a", "b"])).toEqual([]);
    expect(filesAltered(["b", "x"], ["a", "b"])).toEqual([]);
  });
});
