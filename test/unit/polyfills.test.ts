// The worker's bundle leaves out the polyfills of twitter-text (wrangler.toml), and must read texts as it would with them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import fc from "fast-check";
import { expect, it } from "vitest";
import type * as TextLength from "../../src/domain/posts/text-length.ts";
import { anyCharacter } from "../support/any-character.ts";
import { countRuns } from "../support/runs.ts";

const root = join(import.meta.dirname, "../..");
const ALIASES = Object.fromEntries(
  [...readFileSync(join(root, "wrangler.toml"), "utf8").matchAll(/^"(core-js\/.+)" = "(.+)"$/gm)].map(
    ([, module = "", file = ""]) => [module, file],
  ),
);

/** Bundles the code that reads texts as wrangler does, and runs it in a new realm with unchanged built-in objects. */
async function buildRealm(alias: Record<string, string>) {
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
  const before = listIntrinsics(context);
  const texts: typeof TextLength = runInContext(`${outputFiles[0]?.text}; texts`, context);
  return { texts, before, after: listIntrinsics(context), modules: Object.keys(metafile.inputs) };
}

/** Lists every method of every built-in object by its path, as the function itself, so that replaced methods are noticed. */
function listIntrinsics(context: object): Map<string, unknown> {
  const methods: [string, unknown][] = runInContext(
    `Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z]/.test(name)).flatMap((name) =>
      [["", globalThis[name]], [".prototype", globalThis[name]?.prototype]].flatMap(([suffix, owner]) =>
        Object(owner) !== owner ? [] : [[name + suffix, owner], ...Reflect.ownKeys(owner).map((key) => {
          const { value, get } = Object.getOwnPropertyDescriptor(owner, key);
          return [name + suffix + "." + String(key), value ?? get];
        })]))`,
    context,
  );
  return new Map(methods);
}

function findChanges(before: Map<string, unknown>, after: Map<string, unknown>) {
  return {
    added: [...after.keys()].filter((path) => !before.has(path)),
    replaced: [...before.keys()].filter((path) => !Object.is(before.get(path), after.get(path))),
  };
}

const MODULES = /node_modules\/core-js\//;

it("the bundle leaves out every polyfill that its modules import, and changes no built-in object", async () => {
  const polyfills = (await buildRealm({})).modules.filter((file) => MODULES.test(file));
  expect(polyfills.length).toBeGreaterThan(50);
  const { modules, before, after } = await buildRealm(ALIASES);
  expect(modules.filter((file) => MODULES.test(file))).toEqual([]);
  expect(modules).toContain("scripts/empty-module.ts");
  expect(findChanges(before, after)).toEqual({ added: [], replaced: [] });
});

it("the polyfills would add only internals of their own to the runtime", async () => {
  const { before, after } = await buildRealm({});
  expect(findChanges(before, after)).toEqual({
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

it("the bundle reads texts as it would with the polyfills", async () => {
  const [bare, full] = [(await buildRealm(ALIASES)).texts, (await buildRealm({})).texts];
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: anyCharacter })), (sample) => {
      const readings = [bare, full].map(({ textLength, textParts }) => ({
        length: textLength(sample, { text_unit: "weighted", text_weighting: "twitter_text_v3" }),
        parts: (["hashtags", "mentions", "links", "cashtags"] as const).map((kind) => [...textParts(sample, kind)]),
      }));
      expect(readings[0]).toEqual(readings[1]);
    }),
    { numRuns: countRuns(2_000) },
  );
});
