// Meta's SDK for Node: the fields of its nodes, their allowed values, and the edges that may be written.
import { readFileSync } from "node:fs";
import { ROOT } from "../../support/documents/markdown.ts";

export const META_PACKAGE = "facebook-nodejs-business-sdk";

/** Reads the source of a node: `IGUser` is in ig-user.js. A node with another file name is an error. */
const readSource = (node: string): string => {
  const file = node.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3-$2$4").toLowerCase();
  return readFileSync(`${ROOT}/node_modules/${META_PACKAGE}/src/objects/${file}.js`, "utf8");
};

export function nodeFields(node: string): string[] {
  const [, block] = /static get Fields ?\(\)[^{]*\{\s*return Object\.freeze\(\{([^}]*)\}/.exec(readSource(node)) ?? [];
  if (block === undefined) throw new Error(`Meta's SDK lists no fields of ${node}`);
  return [...block.matchAll(/'([^']+)'/g)].flatMap(([, name]) => name ?? []);
}

/** The path that a function of the SDK calls: `Page.createFeed` calls `/feed`. */
export function findEdge(functionName: string): string {
  const [node = "", name = ""] = functionName.split(".");
  const source = readSource(node);
  const index = source.indexOf(`  ${name} (`);
  const [, path] = /'(\/[^']*)'/.exec(index < 0 ? "" : source.slice(index, index + 400)) ?? [];
  if (path === undefined) throw new Error(`Meta's SDK has no ${functionName}`);
  return path;
}
