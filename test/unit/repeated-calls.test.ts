// Calls of objects that fail on the way are made again by `callObject`. The calls that are not must say why.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import { ROOT } from "../support/documents/markdown.ts";

/** What returns the stub of an object. `hasher` is that of src/adapters/hashing-object.ts. */
const GIVES_STUB = ["getObject", "publisherOf", "hasher"];

/** Calls that are made once, by their file. */
const ALONE = {
  // Counts that are added twice would be wrong; what is lost is a minute of one publisher.
  "src/compose.ts": ["add"],
  // A call of a tool that may have been carried out, and whose body has been read.
  "src/mcp/front.ts": ["fetch"],
};

type Node = Record<string, unknown>;
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;
const calleeOf = ({ type, callee }: Node): unknown =>
  type === "CallExpression" && isNode(callee) ? callee.name : undefined;

/** The methods of objects that `source` calls outside of `callObject`. */
function findLoneCalls(source: string): string[] {
  const found: string[] = [];
  const walk = (node: unknown, ancestors: Node[]): void => {
    if (Array.isArray(node)) for (const item of node) walk(item, ancestors);
    if (!isNode(node) || Array.isArray(node)) return;
    const { type, object, property } = node;
    if (type === "MemberExpression" && isNode(object) && isNode(property)) {
      const isStub = GIVES_STUB.some((name) => name === calleeOf(object));
      const isRepeated = ancestors.some((ancestor) => calleeOf(ancestor) === "callObject");
      if (isStub && !isRepeated) found.push(String(property.name));
    }
    if (type === "VariableDeclarator" && isNode(node.init) && calleeOf(node.init) === "getObject") {
      found.push("a stub that is kept: one that has failed may stay broken");
    }
    for (const child of Object.values(node)) walk(child, [...ancestors, node]);
  };
  walk(parseSync("source.ts", source).program, []);
  return found;
}

it("each call of an object is made again when it fails on the way, but for those that must not be", () => {
  const lone = globSync("src/**/*.ts", { cwd: ROOT })
    .map((file) => [file, findLoneCalls(readFileSync(join(ROOT, file), "utf8"))] as const)
    .filter(([, calls]) => calls.length > 0);
  expect(Object.fromEntries(lone)).toEqual(ALONE);
});

it.each([
  ["callObject(() => getObject(env, env.MCP, name).end())", 0],
  ["callObject(async () => publisherOf(env, id, 1).lookUp(lane))", 0],
  ["getObject(env, env.MCP, name).end()", 1],
  ["const counter = getObject(env, env.COUNTER, name)", 1],
])("in `%s` %i calls are made once", (source, count) => {
  expect(findLoneCalls(source)).toHaveLength(count);
});
