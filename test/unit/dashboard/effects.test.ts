// When an effect ends, React calls the value that it returned. A value that is not a function breaks the whole app.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");

interface Node {
  type: string;
  start: number;
  [member: string]: unknown;
}
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

const EFFECTS = ["useEffect", "useLayoutEffect", "useInsertionEffect"];
const FUNCTIONS = ["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"];

const isEffect = (node: Node): boolean =>
  node.type === "CallExpression" &&
  isNode(node.callee) &&
  typeof node.callee.name === "string" &&
  EFFECTS.includes(node.callee.name);

/** Functions of the dashboard that subscribe return a function that ends the subscription. Methods of browser objects do not. */
const isCleanup = (value: Node): boolean =>
  FUNCTIONS.includes(value.type) ||
  (value.type === "CallExpression" && isNode(value.callee) && value.callee.type === "Identifier");

/** Calls `onNode` with a node and its descendants. `onNode` returns whether to visit the descendants. */
function visit(value: unknown, onNode: (node: Node) => boolean): void {
  if (Array.isArray(value)) for (const item of value) visit(item, onNode);
  if (!isNode(value) || !onNode(value)) return;
  for (const inner of Object.values(value)) if (typeof inner === "object") visit(inner, onNode);
}

/** The values that a function returns, without those of the functions in it. */
function findReturnedValues(body: Node): Node[] {
  if (body.type !== "BlockStatement") return [body];
  const values: Node[] = [];
  visit(body, (node) => {
    if (node.type === "ReturnStatement" && isNode(node.argument)) values.push(node.argument);
    return !FUNCTIONS.includes(node.type);
  });
  return values;
}

/** The lines of a file in which an effect returns something that is not a cleanup. */
function findReturningEffects(file: string, text: string): number[] {
  const lines: number[] = [];
  visit(parseSync(file, text).program, (node) => {
    const [effect] = isEffect(node) && Array.isArray(node.arguments) ? node.arguments : [];
    if (isNode(effect) && isNode(effect.body)) {
      for (const value of findReturnedValues(effect.body)) {
        if (!isCleanup(value)) lines.push(text.slice(0, value.start).split("\n").length);
      }
    }
    return true;
  });
  return lines;
}

describe("an effect", () => {
  it("every effect in the dashboard returns nothing or a cleanup function", () => {
    const files = globSync("src/dashboard/**/*.{ts,tsx}", { cwd: root });
    expect(files.length).toBeGreaterThan(50);
    const faultyEffects = files.flatMap((file) =>
      findReturningEffects(file, readFileSync(join(root, file), "utf8")).map((line) => `${file}:${line}`),
    );
    expect(faultyEffects).toEqual([]);
  });

  it.each([
    ["useEffect(() => field.current?.scrollIntoView());", [1]],
    ["useLayoutEffect(() => {\n  return field.focus();\n});", [2]],
    ["useEffect(() => {\n  if (a) return timer;\n  return () => stop();\n});", [2]],
    ["useEffect(() => {\n  list.map((item) => { return item.id; });\n});", []],
    ["useEffect(() => onForbidden(() => ask()));", []],
    ["useEffect(() => () => stop());", []],
  ])("the check of effects finds the returned values that are no cleanup: %j", (text, lines) => {
    expect(findReturningEffects("effect.tsx", text)).toEqual(lines);
  });
});
