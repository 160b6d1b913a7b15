// The worker's bundle has no polyfills (wrangler.toml), and reads texts as it would with them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import fc from "fast-check";
import { expect, it } from "vitest";
import type * as TextLength from "../../src/domain/posts/text-length.ts";
import { anyCharacter } from "../support/any-character.ts";
import { runsOf } from "../support/runs.ts";

const root = join(import.meta.dirname, "../..");
const ALIASES = Object.fromEntries(
  [...readFileSync(join(root, "wrangler.toml"), "utf8").matchAll(/^"(core-js\/.+)" = "(.+)"$/gm)].map(
    ([, module = "", file = ""]) => [module, file],
  ),
);

/** What reads texts, bundled as wrangler does, in a realm whose objects nothing has changed. */
async function realm(alias: Record<string, string>) {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(root, "src/domain/posts/text-length.ts")],
    absWorkingDir: root,
    bundle: true,
    format: "iife",
    globalName: "texts",
    mainFields: ["browser", "module", "main"],
    conditions: ["workerd", "worker", "browser"],
    metafile: true,
    write: false,
    alias,
  });
  const context = createContext({ TextEncoder });
  const before = intrinsics(context);
  const texts: typeof TextLength = runInContext(`${outputFiles[0]?.text}; texts`, context);
  return { texts, before, after: intrinsics(context), modules: Object.keys(metafile.inputs) };
}

/** Every method of every built-in object, by its path: the object itself, so that one that was replaced is seen. */
function intrinsics(context: object): Map<string, unknown> {
  const found: [string, unknown][] = runInContext(
    `Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z]/.test(name)).flatMap((name) =>
      [["", globalThis[name]], [".prototype", globalThis[name]?.prototype]].flatMap(([suffix, owner]) =>
        Object(owner) !== owner ? [] : [[name + suffix, owner], ...Reflect.ownKeys(owner).map((key) => {
          const { value, get } = Object.getOwnPropertyDescriptor(owner, key);
          return [name + suffix + "." + String(key), value ?? get];
        })]))`,
    context,
  );
  return new Map(found);
}

function changes(before: Map<string, unknown>, after: Map<string, unknown>) {
  return {
    added: [...after.keys()].filter((path) => !before.has(path)),
    replaced: [...before.keys()].filter((path) => !Object.is(before.get(path), after.get(path))),
  };
}

const MODULES = /node_modules\/core-js\//;

it("leaves out every polyfill that is asked for, and nothing else", async () => {
  const kept = (await realm({})).modules.filter((file) => MODULES.test(file));
  expect(kept.length).toBeGreaterThan(50);
  const { modules, before, after } = await realm(ALIASES);
  expect(modules.filter((file) => MODULES.test(file))).toEqual([]);
  expect(modules).toContain("scripts/empty-module.ts");
  expect(changes(before, after)).toEqual({ added: [], replaced: [] });
});

it("has by itself what the polyfills would have brought: they add and replace only what is their own business", async () => {
  const { before, after } = await realm({});
  expect(changes(before, after)).toEqual({
    added: ["Symbol.useSetter", "Symbol.useSimple"],
    replaced: ["Function.prototype.toString"],
  });
});

const PIECES = [
  ..."a Z 7 _ @ # $ . , / : - é ß 中 文 한 ｶ 🇩🇪 👩‍👩‍👧 1️⃣ ❤️ \u200d \ufe0f \u202a ＃ ＠ \n \t".split(" "),
  " ",
  "https://",
  "http://www.",
  "example.com",
  "例え.jp",
  "münchen.de/straße?q=1#x",
  "t.co/abc",
  "@ada",
  "#日本語",
  "$TWTR",
  ".co.uk",
];

it("reads texts as it would with the polyfills", async () => {
  const [bare, full] = [(await realm(ALIASES)).texts, (await realm({})).texts];
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: anyCharacter })), (one) => {
      const readings = [bare, full].map(({ textLength, textParts }) => ({
        length: textLength(one, { text_unit: "weighted", text_weighting: "twitter_text_v3" }),
        parts: (["hashtags", "mentions", "links", "cashtags"] as const).map((part) => [...textParts(one, part)]),
      }));
      expect(readings[0]).toEqual(readings[1]);
    }),
    { numRuns: runsOf(2_000) },
  );
});
