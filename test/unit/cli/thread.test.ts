// The further parts of a thread, as `crier post --thread` reads them.
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Failure } from "../../../cli/failure.ts";
import { readThread } from "../../../cli/thread.ts";

async function fileOf(content: string | Uint8Array): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "crier-thread-")), "thread.txt");
  await writeFile(path, content);
  return path;
}

it.each<[string, string, object[]]>([
  ["one part", "two\n", [{ text: "two" }]],
  [
    "parts between lines of ---",
    "two\n---\nthree\n\nmore\n---\nfour",
    [{ text: "two" }, { text: "three\n\nmore" }, { text: "four" }],
  ],
  [
    "empty lines around a part do not count, spaces before its words do",
    "\n  two\n\n--- \n\nthree\n\n",
    [{ text: "  two" }, { text: "three" }],
  ],
  ["lines that end as Windows ends them", "two\r\n---\r\nthree\r\n", [{ text: "two" }, { text: "three" }]],
  ["a dash within a line divides nothing", "two --- three\n----", [{ text: "two --- three\n----" }]],
  ["JSON", ' ["two", { "text": "three", "media": ["med_1"] }]', [{ text: "two" }, { text: "three", media: ["med_1"] }]],
  ["JSON of a part with a file alone", '[{ "text": "", "media": ["med_1"] }]', [{ text: "", media: ["med_1"] }]],
])("%s", async (_, content, parts) => {
  expect(await readThread(await fileOf(content))).toEqual(parts);
});

it.each<[string, string | Uint8Array, RegExp]>([
  ["an empty part", "two\n---\n\n---\nfour", /^Part 2 of .* is empty\.$/],
  ["an empty file", "", /^Part 1 of .* is empty\.$/],
  ["broken JSON", '["two"', /starts like JSON/],
  ["a part that is none", '["two", 3]', /^Part 2 of .* is not a valid part of a thread\.$/],
  [
    "a field that a part has not",
    '[{ "text": "two", "alt": "a" }]',
    /^Part 1 of .* is not a valid part of a thread\.$/,
  ],
  ["what is not UTF-8", new Uint8Array([0xff, 0xfe]), /is not UTF-8 text\.$/],
])("%s is refused", async (_, content, says) => {
  const refused = await readThread(await fileOf(content)).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Failure);
  expect(refused).toMatchObject({ exitCode: 2, message: expect.stringMatching(says) });
});

it("a missing thread file is rejected", async () => {
  await expect(readThread("/nowhere/thread.txt")).rejects.toMatchObject({ exitCode: 2 });
});
