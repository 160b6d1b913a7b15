// What the Worker does with a body grows with its length and no faster: nobody holds it with one request.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { operations } from "../../src/contract/index.ts";
import { has, type Operation } from "../../src/contract/operation.ts";
import { isObject } from "../../src/domain/json.ts";
import { Refusal } from "../../src/domain/refusal.ts";
import { parseJson } from "../../src/operations/parse-json.ts";
import { indexChannels, resolveChannels } from "../../src/operations/posts/import/channel-ids.ts";
import { fileIdsIn } from "../../src/operations/posts/import/material.ts";
import { readCsvFile } from "../../src/operations/posts/import/read-csv-file.ts";
import { readNdjsonFile } from "../../src/operations/posts/import/read-ndjson-file.ts";
import { parseInput } from "../../src/operations/run.ts";
import { countWork } from "../support/counted-work.ts";
import { everyNth, isWhole } from "../support/runs.ts";

/** Ten times the input may be so many times the work. */
const RATIO_MAX = 12;
const SMALL = 400;

/** Makes texts, each of about this size. */
type Grow = (size: number) => string[];

/** Expects of each kind of input that ten times as much of it is at most about ten times the work. */
function expectProportional(inputs: Record<string, Grow>, work: (input: string) => unknown): void {
  const run = (text: string) => {
    try {
      JSON.stringify(work(text));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      JSON.stringify(error.body("req"));
    }
  };
  const ratioOf = (grow: Grow) => {
    const [small, large] = [grow(SMALL), grow(10 * SMALL)];
    // Compiles what the counted runs use.
    small.forEach(run);
    const [least = 0, most = 0] = countWork([() => small.forEach(run), () => large.forEach(run)]);
    return most / least;
  };
  for (const [kind, grow] of Object.entries(inputs)) {
    // V8 forgets the counts of a function that it throws away meanwhile, so a bad count is taken once more.
    const ratio = ratioOf(grow);
    expect(ratio <= RATIO_MAX ? ratio : ratioOf(grow), kind).toBeLessThanOrEqual(RATIO_MAX);
  }
}

const many = <Value>(size: number, make: (i: number) => Value) => Array.from({ length: size }, (_, i) => make(i));
/** Names of the same length, so that ten times as many are ten times as long. */
const nameOf = (i: number) => `n${String(i).padStart(5, "0")}`;
const words = (size: number) => many(size, nameOf);
const object = (size: number, value: unknown) => Object.fromEntries(words(size).map((name) => [name, value]));

/** Values of a field that grow, some as its schema has it and most as no schema has it. */
const GROWING: ((size: number) => unknown)[] = [
  (size) => "x".repeat(size),
  words,
  (size) => many(size, () => "a"),
  (size) => many(size, (i) => ({ id: nameOf(i), kind: "image", text: "x", media: ["a"], day: 1, time: "09:00" })),
  (size) => object(size, {}),
  (size) => object(size, "x"),
  (size) => object(10, object(size / 10, words(3))),
];
const withBody = Object.entries<Operation>(operations).filter(([, operation]) => has(operation, "body"));

describe.each(everyNth(withBody, 12))("%s", (_name, operation) => {
  const { properties = {} } = z.toJSONSchema(operation.body, { io: "input", unrepresentable: "any" });
  const [shown] = Object.values(operation.examples ?? {});
  const example = isObject(shown) ? shown : {};
  const params = object(0, "");
  const parse = (text: string) =>
    parseInput(operation, { params, query: {}, body: parseJson(text), idempotencyKey: null });

  it("reads each of its fields in proportion to its length, and what no operation has", () => {
    const fields: Grow = (size) =>
      Object.keys(properties).flatMap((field) =>
        GROWING.map((grow) => JSON.stringify({ ...example, [field]: grow(size) })),
      );
    const others: Grow = (size) => [
      JSON.stringify({ ...example, ...object(size, 1) }),
      `{${[...words(size), nameOf(0)].map((name) => `"${name}":1`).join()}}`,
      "[".repeat(size),
      `{"a":`.repeat(size),
      `{"a":"${"\\u0000".repeat(size)}`,
      JSON.stringify(words(size)),
    ];
    // Taken together: one whose work is the square is most of the work of all.
    expectProportional({ "one of its fields": fields, "what no operation has": others }, parse);
  });
});

describe("a file of posts", () => {
  const media = (i: number) =>
    JSON.stringify({ type: "media", id: `med_${nameOf(i)}`, url: "https://a.example/a.jpg", kind: "image", alt: null });

  it.runIf(isWhole)("is read in proportion to its length as CSV", () => {
    const files: Record<string, Grow> = {
      "a row of many addresses": (size) => [`text,media_urls\nx,${words(size).join("|")}\n`],
      "rows of many addresses": (size) => [`media_urls\n${`${words(40).join("|")}\n`.repeat(size / 40)}`],
      "a row of many channels": (size) => [`text,channels\nx,${words(size).join("|")}\n`],
      "a row of many descriptions": (size) => [`text,media_urls,alt\nx,a.jpg,${words(size).join("|")}\n`],
      "many rows": (size) => [`text\n${"x\n".repeat(10 * size)}`],
      "many empty lines": (size) => [`text\n${"\n".repeat(10 * size)}x`],
      "many cells": (size) => [`text\nx${",".repeat(10 * size)}`],
      "many columns": (size) => [words(10 * size).join()],
      "a column of a long name": (size) => ["x".repeat(10 * size)],
      "a cell of many lines": (size) => [`text\n"${"x\n".repeat(10 * size)}"`],
      "a cell of many quotes": (size) => [`text\n"${'""'.repeat(10 * size)}"`],
      "a quote that is not closed": (size) => [`text\n"${"x\n".repeat(10 * size)}`],
    };
    expectProportional(files, (text) => fileIdsIn(readCsvFile(text).rows));
  });

  it.runIf(isWhole)("is read in proportion to its length as NDJSON", () => {
    const files: Record<string, Grow> = {
      "lines that are no JSON": (size) => ["x\n".repeat(10 * size)],
      "many posts": (size) => [`{"text":"x"}\n`.repeat(size)],
      "many files": (size) => [`${many(size, media).join("\n")}\n{"media":["med_1"]}`],
      "many events": (size) => [`{"type":"event"}\n`.repeat(size)],
      "many empty lines": (size) => ["\n".repeat(10 * size)],
      "a long text": (size) => [JSON.stringify({ text: "x".repeat(10 * size) })],
      "a post of many fields": (size) => [JSON.stringify(object(size, 1))],
    };
    expectProportional(files, (text) => fileIdsIn(readNdjsonFile(text).rows));
  });

  it("finds the channels of a row in proportion to how many it names, however many there are", () => {
    const channels = many(1_000, (i) => ({ id: `ch_${i}`, platform: i % 2 ? "x" : "telegram", handle: `@name.${i}` }));
    const names = indexChannels(channels, new Map());
    // Names of one and the same channel, in other letters.
    const same = many(100, (i) => [..."@name.7"].map((c, bit) => ((i >> bit) & 1 ? c.toUpperCase() : c)).join(""));
    const rows: Record<string, Grow> = {
      "unknown channels": (size) => [JSON.stringify({ overrides: object(size / 40, {}), channels: words(size / 40) })],
      "one channel again and again": (size) => [
        JSON.stringify({ overrides: Object.fromEntries(same.slice(0, size / 40).map((name) => [name, {}])) }),
      ],
    };
    expectProportional(rows, (text) => resolveChannels(JSON.parse(text), names));
  });
});
