// The Worker's work on a body grows no faster than the body's length, so that no single request can block it.
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
import { everyNth, isExtensive } from "../support/runs.ts";

/** The most that the work may grow when the input grows tenfold. */
const RATIO_MAX = 12;
const SMALL = 400;

/** Makes texts of about the given size. */
type Grow = (size: number) => string[];

/** Expects that the work grows about tenfold at most when an input grows tenfold. */
function expectProportional(inputs: Record<string, Grow>, work: (input: string) => unknown): void {
  const run = (text: string) => {
    try {
      JSON.stringify(work(text));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      JSON.stringify(error.body("req"));
    }
  };
  const measureRatio = (grow: Grow) => {
    const [small, large] = [grow(SMALL), grow(10 * SMALL)];
    // The first run compiles the code, so that the counted runs do not.
    small.forEach(run);
    const [least = 0, most = 0] = countWork([() => small.forEach(run), () => large.forEach(run)]);
    return most / least;
  };
  for (const [kind, grow] of Object.entries(inputs)) {
    // V8 loses the counts of a function whose code it discards in between, so a bad ratio is measured a second time.
    const ratio = measureRatio(grow);
    expect(ratio <= RATIO_MAX ? ratio : measureRatio(grow), kind).toBeLessThanOrEqual(RATIO_MAX);
  }
}

const makeMany = <Value>(size: number, make: (i: number) => Value) => Array.from({ length: size }, (_, i) => make(i));
/** Makes names of the same length, so that ten times as many names have ten times the length. */
const makeName = (i: number) => `n${String(i).padStart(5, "0")}`;
const makeNames = (size: number) => makeMany(size, makeName);
const makeObject = (size: number, value: unknown) => Object.fromEntries(makeNames(size).map((name) => [name, value]));

/** Growing values of a field. A few of them match its schema; most match no schema. */
const GROWING: ((size: number) => unknown)[] = [
  (size) => "x".repeat(size),
  makeNames,
  (size) => makeMany(size, () => "a"),
  (size) => makeMany(size, (i) => ({ id: makeName(i), kind: "image", text: "x", media: ["a"], day: 1, time: "09:00" })),
  (size) => makeObject(size, {}),
  (size) => makeObject(size, "x"),
  (size) => makeObject(10, makeObject(size / 10, makeNames(3))),
];
const withBody = Object.entries<Operation>(operations).filter(([, operation]) => has(operation, "body"));

describe.each(everyNth(withBody, { sample: 20, most: 10 }))("%s", (_name, operation) => {
  const { properties = {} } = z.toJSONSchema(operation.body, { io: "input", unrepresentable: "any" });
  const [firstExample] = Object.values(operation.examples ?? {});
  const example = isObject(firstExample) ? firstExample : {};
  const params = makeObject(0, "");
  const parse = (text: string) =>
    parseInput(operation, { params, query: {}, body: parseJson(text), idempotencyKey: null });

  it("the operation parses known and unknown fields in linear time", () => {
    const fields: Grow = (size) =>
      Object.keys(properties).flatMap((field) =>
        GROWING.map((grow) => JSON.stringify({ ...example, [field]: grow(size) })),
      );
    const unknownFields: Grow = (size) => [
      JSON.stringify({ ...example, ...makeObject(size, 1) }),
      `{${[...makeNames(size), makeName(0)].map((name) => `"${name}":1`).join()}}`,
      "[".repeat(size),
      `{"a":`.repeat(size),
      `{"a":"${"\\u0000".repeat(size)}`,
      JSON.stringify(makeNames(size)),
    ];
    // All inputs are measured together. An input with quadratic work would dominate the sum.
    expectProportional({ "known fields": fields, "unknown fields": unknownFields }, parse);
  });
});

describe("a file of posts", () => {
  const makeMedia = (i: number) =>
    JSON.stringify({
      type: "media",
      id: `med_${makeName(i)}`,
      url: "https://a.example/a.jpg",
      kind: "image",
      alt: null,
    });

  it.runIf(isExtensive)("a CSV file of posts is read in linear time", () => {
    const files: Record<string, Grow> = {
      "a row of many addresses": (size) => [`text,media_urls\nx,${makeNames(size).join("|")}\n`],
      "rows of many addresses": (size) => [`media_urls\n${`${makeNames(40).join("|")}\n`.repeat(size / 40)}`],
      "a row of many channels": (size) => [`text,channels\nx,${makeNames(size).join("|")}\n`],
      "a row of many descriptions": (size) => [`text,media_urls,alt\nx,a.jpg,${makeNames(size).join("|")}\n`],
      "many rows": (size) => [`text\n${"x\n".repeat(10 * size)}`],
      "many empty lines": (size) => [`text\n${"\n".repeat(10 * size)}x`],
      "many cells": (size) => [`text\nx${",".repeat(10 * size)}`],
      "many columns": (size) => [makeNames(10 * size).join()],
      "a column with a long name": (size) => ["x".repeat(10 * size)],
      "a cell of many lines": (size) => [`text\n"${"x\n".repeat(10 * size)}"`],
      "a cell of many quotes": (size) => [`text\n"${'""'.repeat(10 * size)}"`],
      "a quote that is not closed": (size) => [`text\n"${"x\n".repeat(10 * size)}`],
    };
    expectProportional(files, (text) => fileIdsIn(readCsvFile(text).rows));
  });

  it.runIf(isExtensive)("an NDJSON file of posts is read in linear time", () => {
    const files: Record<string, Grow> = {
      "lines that are no JSON": (size) => ["x\n".repeat(10 * size)],
      "many posts": (size) => [`{"text":"x"}\n`.repeat(size)],
      "many files": (size) => [`${makeMany(size, makeMedia).join("\n")}\n{"media":["med_1"]}`],
      "many events": (size) => [`{"type":"event"}\n`.repeat(size)],
      "many empty lines": (size) => ["\n".repeat(10 * size)],
      "a long text": (size) => [JSON.stringify({ text: "x".repeat(10 * size) })],
      "a post of many fields": (size) => [JSON.stringify(makeObject(size, 1))],
    };
    expectProportional(files, (text) => fileIdsIn(readNdjsonFile(text).rows));
  });

  it("the channels of a row are found in linear time, even if the workspace has many channels", () => {
    const channels = makeMany(1_000, (i) => ({
      id: `ch_${i}`,
      platform: i % 2 ? "x" : "telegram",
      handle: `@name.${i}`,
    }));
    const names = indexChannels(channels, new Map());
    // The name of one channel in different upper and lower case.
    const spellings = makeMany(100, (i) =>
      [..."@name.7"].map((c, bit) => ((i >> bit) & 1 ? c.toUpperCase() : c)).join(""),
    );
    const rows: Record<string, Grow> = {
      "unknown channels": (size) => [
        JSON.stringify({ overrides: makeObject(size / 40, {}), channels: makeNames(size / 40) }),
      ],
      "one channel in many spellings": (size) => [
        JSON.stringify({ overrides: Object.fromEntries(spellings.slice(0, size / 40).map((name) => [name, {}])) }),
      ],
    };
    expectProportional(rows, (text) => resolveChannels(JSON.parse(text), names));
  });
});
