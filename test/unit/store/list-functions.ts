// Finds the exported functions of the store that take a list: a parameter that is an array, a map or a set, or whose type in the
// project contains one.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { ROOT } from "../../support/documents/markdown.ts";

type Node = Record<string, unknown>;
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

const LISTS = new Set(["Array", "ReadonlyArray", "Map", "ReadonlyMap", "Set", "ReadonlySet"]);
/** Types that contain statements or connections instead of values. */
const NO_VALUES = new Set(["Database", "SQL", "Statements", "Named", "Results"]);

const listDeclarations = (file: string): Node[] => {
  const { program } = parseSync(file, readFileSync(join(ROOT, file), "utf8"));
  return program.body.flatMap((statement: unknown) => {
    if (!isNode(statement)) return [];
    const { type, declaration } = statement;
    if (type !== "ExportNamedDeclaration") return [{ ...statement, isExported: false }];
    return isNode(declaration) ? [{ ...declaration, isExported: true }] : [];
  });
};

const getName = (node: unknown): string => (isNode(node) && typeof node.name === "string" ? node.name : "");

const isType = ({ type }: Node) => type === "TSInterfaceDeclaration" || type === "TSTypeAliasDeclaration";

/** Whether a type contains a list. `types` has the types of the project by name. */
function hasList(node: unknown, types: ReadonlyMap<string, Node>, visited: Set<string>): boolean {
  if (Array.isArray(node)) return node.some((item) => hasList(item, types, visited));
  if (!isNode(node)) return false;
  if (node.type === "TSArrayType") return true;
  if (node.type === "TSFunctionType" || node.type === "TSMethodSignature") return false;
  if (node.type === "TSTypeReference") {
    const name = getName(node.typeName);
    if (LISTS.has(name)) return true;
    if (!NO_VALUES.has(name) && !visited.has(name)) {
      visited.add(name);
      if (hasList(types.get(name), types, visited)) return true;
    }
  }
  return Object.values(node).some((child) => hasList(child, types, visited));
}

/** Lists the functions of a declaration, by name. */
function listFunctions(declaration: Node): [string, Node][] {
  if (declaration.type === "FunctionDeclaration") return [[getName(declaration.id), declaration]];
  if (declaration.type !== "VariableDeclaration" || !Array.isArray(declaration.declarations)) return [];
  return declaration.declarations.flatMap((declarator: unknown): [string, Node][] => {
    if (!isNode(declarator) || !isNode(declarator.init)) return [];
    return declarator.init.type === "ArrowFunctionExpression" ? [[getName(declarator.id), declarator.init]] : [];
  });
}

/** Returns the type of a parameter, with or without a default value. */
const getType = (parameter: unknown): unknown =>
  isNode(parameter)
    ? (parameter.typeAnnotation ?? (isNode(parameter.left) ? parameter.left.typeAnnotation : null))
    : null;

/** Returns `file function` for each function, with the file's name without its ending. */
export function findListFunctions(): string[] {
  const files = globSync("src/{store,domain}/**/*.ts", { cwd: ROOT }).sort();
  const declarations = new Map(files.map((file) => [file, listDeclarations(file)]));
  const types = new Map(
    [...declarations.values()]
      .flat()
      .filter(isType)
      .map((type) => [getName(type.id), type]),
  );
  return [...declarations].flatMap(([file, fileDeclarations]) => {
    if (!file.startsWith("src/store/")) return [];
    const functions = fileDeclarations.filter(({ isExported }) => isExported === true).flatMap(listFunctions);
    const withLists = functions.filter(
      ([, { params }]) =>
        Array.isArray(params) && params.some((parameter) => hasList(getType(parameter), types, new Set())),
    );
    return withLists.map(([name]) => `${file.slice("src/store/".length, -".ts".length)} ${name}`);
  });
}
