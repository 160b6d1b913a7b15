// Meta's SDK for Node: the fields of its nodes, the words that they take, and the edges that may be written.
import { readFileSync } from "node:fs";
import { ROOT } from "../../support/documents/markdown.ts";

export const META_PACKAGE = "facebook-nodejs-business-sdk";

/** `IGUser` is ig-user.js; what the SDK calls otherwise is not found, which is an error. */
const sourceOf = (node: string): string => {
  const file = node.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3-$2$4").toLowerCase();
  return readFileSync(`${ROOT}/node_modules/${META_PACKAGE}/src/objects/${file}.js`, "utf8");
};

export function nodeFields(node: string): string[] {
  const [, block] = /static get Fields ?\(\)[^{]*\{\s*return Object\.freeze\(\{([^}]*)\}/.exec(sourceOf(node)) ?? [];
  if (block === undefined) throw new Error(`Meta's SDK lists no fields of ${node}`);
  return [...block.matchAll(/'([^']+)'/g)].flatMap(([, name]) => name ?? []);
}

/** The path that a function of the SDK calls: `Page.createFeed` calls `/feed`. */
export function edgeOf(called: string): string {
  const [node = "", name = ""] = called.split(".");
  const source = sourceOf(node);
  const at = source.indexOf(`  ${name} (`);
  const [, path] = /'(\/[^']*)'/.exec(at < 0 ? "" : source.slice(at, at + 400)) ?? [];
  if (path === undefined) throw new Error(`Meta's SDK has no ${called}`);
  return path;
}
