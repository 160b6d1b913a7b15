// A post that is read back is altered only if a person can see the difference.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filesAltered, textAltered } from "../../../src/domain/delivery/readback.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { countRuns } from "../../support/runs.ts";

describe("a text that is read back", () => {
  const accepted = "Caf\u00e9 au lait\nfor two\n\nand more";

  it.each([
    ["with accents in another form", accepted.normalize("NFD")],
    ["with the line ends of Windows", accepted.replaceAll("\n", "\r\n")],
    ["with the line ends of an old Mac", accepted.replaceAll("\n", "\r")],
    ["with spaces at the ends of lines", accepted.replaceAll("\n", " \t \n")],
    ["with a space that does not break at the ends of lines", accepted.replaceAll("\n", "\u00a0\n")],
    ["with space around the whole", `\n  ${accepted} \n\n`],
  ])("a text that is read back %s is not altered", (_, displayed) => {
    expect(textAltered(displayed, accepted)).toEqual([]);
    expect(textAltered(accepted, displayed)).toEqual([]);
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
  ])("a text that is read back %s is altered", (_, displayed) => {
    expect(textAltered(displayed, accepted)).toEqual(["text"]);
  });

  it("a text that is read back with different invisible characters is not altered", () => {
    const space = fc.string({ unit: fc.constantFrom(" ", "\t", "\u00a0", "\u3000"), maxLength: 3 });
    const line = fc.string({ unit: anyCharacter, maxLength: 12 });
    const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
    fc.assert(
      fc.property(fc.array(fc.tuple(line, space), { maxLength: 6 }), lineEnd, (lines, end) => {
        const acceptedLines = lines.map(([line, space]) => ({ line: line.replace(/[\r\n]/g, ""), space }));
        const displayedLines = acceptedLines.map(({ line, space }) => line.normalize("NFD") + space + end);
        expect(textAltered(displayedLines.join(""), acceptedLines.map(({ line }) => line).join("\n"))).toEqual([]);
      }),
      { numRuns: countRuns(300) },
    );
  });

  it("a text that the network omits is altered unless the accepted text was empty", () => {
    for (const absent of [null, undefined]) {
      expect(textAltered(absent, "")).toEqual([]);
      expect(textAltered(absent, accepted)).toEqual(["text"]);
    }
  });

  it("an altered title is reported as the title", () => {
    expect(textAltered("Another", "A title", "title")).toEqual(["title"]);
    expect(textAltered("A title", "A title", "title")).toEqual([]);
  });
});

describe("files that are read back", () => {
  it("the same files in the same order are not altered", () => {
    expect(filesAltered([], [])).toEqual([]);
    expect(filesAltered(["a", "b", "c"], ["a", "b", "c"])).toEqual([]);
  });

  it("the number of files is altered if a file is missing or was added", () => {
    expect(filesAltered(["a"], ["a", "b"])).toEqual(["media_count"]);
    expect(filesAltered(["a", "b"], ["a"])).toEqual(["media_count"]);
    expect(filesAltered([], ["a"])).toEqual(["media_count"]);
  });

  it("the order of files is altered if the same files are shown in a different order", () => {
    expect(filesAltered(["b", "a", "c"], ["a", "b", "c"])).toEqual(["media_order"]);
  });

  it("files that the network shows under different ids are only counted", () => {
    expect(filesAltered(["x", "y"], ["a", "b"])).toEqual([]);
    expect(filesAltered(["b", "x"], ["a", "b"])).toEqual([]);
  });
});
