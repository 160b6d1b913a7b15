// `callObject` repeats calls of objects that fail on the way. A call that is not repeated needs a reason here.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import { ROOT } from "../support/documents/markdown.ts";

/** The functions that return the stub of an object. `hasher` is in src/adapters/hashing-object.ts. */
const STUB_SOURCES = ["getObject", "publisherOf", "hasher"];

/** The calls that are not repeated, by file. */
const UNREPEATED = {
  // Counts that are added twice would be wrong. A failed call only loses one minute of one publisher.
  "src/compose.ts": ["add"],
  // The tool may already have run, and the body of the request has been read.
  "src/mcp/front.ts": ["fetch"],
};

type Node = Record<string, unknown>;
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;
const getCallee = ({ type, callee }: Node): unknown =>
  type === "CallExpression" && isNode(callee) ? callee.name : undefined;

/** The methods of objects that `source` calls outside of `callObject`. */
function findLoneCalls(source: string): string[] {
  const calls: string[] = [];
  const walk = (node: unknown, ancestors: Node[]): void => {
    if (Array.isArray(node)) for (const item of node) walk(item, ancestors);
    if (!isNode(node) || Array.isArray(node)) return;
    const { type, object, property } = node;
    if (type === "MemberExpression" && isNode(object) && isNode(property)) {
      const isStub = STUB_SOURCES.some((name) => name === getCallee(object));
      const isRepeated = ancestors.some((ancestor) => getCallee(ancestor) === "callObject");
      if (isStub && !isRepeated) calls.push(String(property.name));
    }
    if (type === "VariableDeclarator" && isNode(node.init) && getCallee(node.init) === "getObject") {
      calls.push("a stub that is kept: one that has failed may stay broken");
    }
    for (const child of Object.values(node)) walk(child, [...ancestors, node]);
  };
  walk(parseSync("source.ts", source).program, []);
  return calls;
}

it("every call of an object is repeated if it fails on the way, except for the listed calls", () => {
  const lone = globSync("src/**/*.ts", { cwd: ROOT })
    .map((file) => [file, findLoneCalls(readFileSync(join(ROOT, file), "utf8"))] as const)
    .filter(([, calls]) => calls.length > 0);
  expect(Object.fromEntries(lone)).toEqual(UNREPEATED);
});

it.each([
  ["callObject(() => getObject(env, env.MCP, name).end())", 0],
  ["callObject(async () => publisherOf(env, id, 1).lookUp(lane))", 0],
  ["getObject(env, env.MCP, name).end()", 1],
  ["const counter = getObject(env, env.COUNTER, name)", 1],
])("in `%s`, the number of calls without a repeat is %i", (source, count) => {
  expect(findLoneCalls(source)).toHaveLength(count);
});
