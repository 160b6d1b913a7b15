import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Failure } from "../../../cli/failure.ts";
import { readThread } from "../../../cli/thread.ts";

async function writeThreadFile(content: string | Uint8Array): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "crier-thread-")), "thread.txt");
  await writeFile(path, content);
  return path;
}

it.each<[string, string, object[]]>([
  ["a single part", "two\n", [{ text: "two" }]],
  [
    "parts between lines of ---",
    "two\n---\nthree\n\nmore\n---\nfour",
    [{ text: "two" }, { text: "three\n\nmore" }, { text: "four" }],
  ],
  [
    "parts surrounded by empty lines, with leading spaces",
    "\n  two\n\n--- \n\nthree\n\n",
    [{ text: "  two" }, { text: "three" }],
  ],
  ["lines that end with a carriage return", "two\r\n---\r\nthree\r\n", [{ text: "two" }, { text: "three" }]],
  ["a part with dashes inside a line", "two --- three\n----", [{ text: "two --- three\n----" }]],
  [
    "JSON with a text and an object",
    ' ["two", { "text": "three", "media": ["med_1"] }]',
    [{ text: "two" }, { text: "three", media: ["med_1"] }],
  ],
  ["JSON with a part that has only a file", '[{ "text": "", "media": ["med_1"] }]', [{ text: "", media: ["med_1"] }]],
])("the thread file is read: %s", async (_, content, parts) => {
  expect(await readThread(await writeThreadFile(content))).toEqual(parts);
});

it.each<[string, string | Uint8Array, RegExp]>([
  ["an empty part", "two\n---\n\n---\nfour", /^Part 2 of .* is empty\.$/],
  ["an empty file", "", /^Part 1 of .* is empty\.$/],
  ["broken JSON", '["two"', /starts like JSON/],
  ["an invalid part", '["two", 3]', /^Part 2 of .* is not a valid part of a thread\.$/],
  ["an unknown field of a part", '[{ "text": "two", "alt": "a" }]', /^Part 1 of .* is not a valid part of a thread\.$/],
  ["text that is not UTF-8", new Uint8Array([0xff, 0xfe]), /is not UTF-8 text\.$/],
])("%s in a thread file is refused", async (_, content, pattern) => {
  const refused = await readThread(await writeThreadFile(content)).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Failure);
  expect(refused).toMatchObject({ exitCode: 2, message: expect.stringMatching(pattern) });
});

it("a missing thread file is rejected", async () => {
  await expect(readThread("/nowhere/thread.txt")).rejects.toMatchObject({ exitCode: 2 });
});
