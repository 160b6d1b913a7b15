// The exported functions of the store that take a list, found in its source: a parameter is an array, a map or a set, or has one in a
// type that the project declares.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { ROOT } from "../../support/documents/markdown.ts";

type Node = Record<string, unknown>;
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

const LISTS = new Set(["Array", "ReadonlyArray", "Map", "ReadonlyMap", "Set", "ReadonlySet"]);
/** Types that hold statements or connections, not values. */
const NO_VALUES = new Set(["Database", "SQL", "BatchPart", "Named", "Results"]);

const declarationsOf = (file: string): Node[] => {
  const { program } = parseSync(file, readFileSync(join(ROOT, file), "utf8"));
  return program.body.flatMap((statement: unknown) => {
    if (!isNode(statement)) return [];
    const { type, declaration } = statement;
    if (type !== "ExportNamedDeclaration") return [{ ...statement, isExported: false }];
    return isNode(declaration) ? [{ ...declaration, isExported: true }] : [];
  });
};

const nameOf = (node: unknown): string => (isNode(node) && typeof node.name === "string" ? node.name : "");

const isType = ({ type }: Node) => type === "TSInterfaceDeclaration" || type === "TSTypeAliasDeclaration";

/** Whether a node of a type has a list; `types`: those of the project by name. */
function hasList(node: unknown, types: ReadonlyMap<string, Node>, seen: Set<string>): boolean {
  if (Array.isArray(node)) return node.some((item) => hasList(item, types, seen));
  if (!isNode(node)) return false;
  if (node.type === "TSArrayType") return true;
  if (node.type === "TSFunctionType" || node.type === "TSMethodSignature") return false;
  if (node.type === "TSTypeReference") {
    const name = nameOf(node.typeName);
    if (LISTS.has(name)) return true;
    if (!NO_VALUES.has(name) && !seen.has(name)) {
      seen.add(name);
      if (hasList(types.get(name), types, seen)) return true;
    }
  }
  return Object.values(node).some((child) => hasList(child, types, seen));
}

/** The functions that a declaration declares, by name. */
function functionsOf(declaration: Node): [string, Node][] {
  if (declaration.type === "FunctionDeclaration") return [[nameOf(declaration.id), declaration]];
  if (declaration.type !== "VariableDeclaration" || !Array.isArray(declaration.declarations)) return [];
  return declaration.declarations.flatMap((declarator: unknown): [string, Node][] => {
    if (!isNode(declarator) || !isNode(declarator.init)) return [];
    return declarator.init.type === "ArrowFunctionExpression" ? [[nameOf(declarator.id), declarator.init]] : [];
  });
}

/** Where a parameter says its type: beside its name, or beside that which a default value follows. */
const typeOf = (parameter: unknown): unknown =>
  isNode(parameter)
    ? (parameter.typeAnnotation ?? (isNode(parameter.left) ? parameter.left.typeAnnotation : null))
    : null;

/** `file function` of each, the file without its ending. */
export function findListFunctions(): string[] {
  const files = globSync("src/{store,domain}/**/*.ts", { cwd: ROOT }).sort();
  const declarations = new Map(files.map((file) => [file, declarationsOf(file)]));
  const types = new Map(
    [...declarations.values()]
      .flat()
      .filter(isType)
      .map((type) => [nameOf(type.id), type]),
  );
  return [...declarations].flatMap(([file, all]) => {
    if (!file.startsWith("src/store/")) return [];
    const functions = all.filter(({ isExported }) => isExported === true).flatMap(functionsOf);
    const taking = functions.filter(
      ([, { params }]) => Array.isArray(params) && params.some((one) => hasList(typeOf(one), types, new Set())),
    );
    return taking.map(([name]) => `${file.slice("src/store/".length, -".ts".length)} ${name}`);
  });
}
