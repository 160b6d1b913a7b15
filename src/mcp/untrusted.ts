// Texts from third parties on the networks. An agent gets them as data, without characters that hide or reorder text.

import { REASON_LENGTH_MAX } from "../domain/limits.ts";
import { visibleText } from "../domain/visible-text.ts";

/** Longer account names are truncated for agents; the REST API returns them in full. */
const LENGTH_MAX = 500;

/** An address is useful only in full, and has no hidden characters. */
const ADDRESS = /^https?:\/\/[\x21-\x7e]+$/;

/** A network's text in a form that is safe for an agent. */
export function visible(text: string, lengthMax = LENGTH_MAX): string {
  if (ADDRESS.test(text)) return text;
  return visibleText(text, lengthMax);
}

/** A copy of `body` in which every text at one of the `paths` is `visible`. For the form of paths see `mapTexts`. */
export const cleaned = (body: unknown, paths: readonly string[]): unknown =>
  paths.reduce((value, path) => mapTexts(value, [path], path.endsWith("/reason") ? reason : visible), body);

/**
 * A copy of `body` in which `change` is applied to every text at one of the `paths`. Slashes separate the steps of a path; a
 * star means any item.
 */
export const mapTexts = (body: unknown, paths: readonly string[], change: (text: string) => string): unknown =>
  paths.reduce((value, path) => changeAt(value, path.split("/"), change), body);

/** A reason may have several lines, and is shown in full. */
const reason = (text: string) => visible(text.replaceAll(/\s*\n\s*/g, " "), REASON_LENGTH_MAX);

function changeAt(value: unknown, [name, ...remainingPath]: string[], change: (text: string) => string): unknown {
  if (name === undefined) return typeof value === "string" ? change(value) : value;
  if (Array.isArray(value)) return name === "*" ? value.map((item) => changeAt(item, remainingPath, change)) : value;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return value;
  return { ...value, [name]: changeAt(Reflect.get(value, name), remainingPath, change) };
}
