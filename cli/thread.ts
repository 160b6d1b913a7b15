// Reads the further parts of a thread from a file: texts separated by a line of `---`, or JSON.
import { readFile } from "node:fs/promises";
import type { Body } from "./api/client.ts";
import { usage } from "./failure.ts";

type Thread = NonNullable<Body<"posts.create">["thread"]>;

export async function readThread(path: string): Promise<Thread> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw usage(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw usage(`${path} is not UTF-8 text.`);
  }
  const thread = text.trimStart().startsWith("[") ? partsOfJson(text, path) : partsOfText(text);
  const empty = thread.findIndex(
    (threadPart) => threadPart.text.trim() === "" && (threadPart.media ?? []).length === 0,
  );
  if (empty !== -1) throw usage(`Part ${empty + 1} of ${path} is empty.`, FORMS);
  return thread;
}

const FORMS = 'texts with a line of --- between them, or JSON: ["text", { "text": "...", "media": ["med_..."] }]';

/** The lines of each part unchanged, without blank lines around it. */
const partsOfText = (text: string): Thread =>
  text
    .replaceAll("\r\n", "\n")
    .split(/^---[ \t]*$/m)
    .map((threadPart) => ({ text: threadPart.replace(/^(?:[ \t]*\n)+/, "").replace(/\s+$/, "") }));

function partsOfJson(text: string, path: string): Thread {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw usage(`${path} starts like JSON but is not valid JSON.`, FORMS);
  }
  if (!Array.isArray(list)) throw usage(`${path} is not a list of parts.`, FORMS);
  return list.map((threadPart: unknown, i) => {
    if (typeof threadPart === "string") return { text: threadPart };
    const { text, media, ...otherFields }: Record<string, unknown> = Object(threadPart);
    const isThreadPart =
      typeof text === "string" && (media === undefined || isIds(media)) && Object.keys(otherFields).length === 0;
    if (!isThreadPart) throw usage(`Part ${i + 1} of ${path} is not a valid part of a thread.`, FORMS);
    return media === undefined ? { text } : { text, media };
  });
}

const isIds = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");
