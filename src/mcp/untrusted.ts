// Texts that other people wrote on the networks: an agent gets them as data, without characters that hide or reorder.

import { REASON_LENGTH_MAX } from "../domain/limits.ts";
import { visibleText } from "../domain/visible-text.ts";

/** Longer names of accounts are cut for agents; the REST API gives them whole. */
const LENGTH_MAX = 500;

/** An address is of use only whole, and all of it is seen. */
const ADDRESS = /^https?:\/\/[\x21-\x7e]+$/;

/** A text of a network as an agent may see it. */
export function visible(text: string, lengthMax = LENGTH_MAX): string {
  if (ADDRESS.test(text)) return text;
  return visibleText(text, lengthMax);
}

/** A copy of `body` in which every text at one of the `paths` is `visible`. Slashes part a path's steps; a star is any item. */
export function cleaned(body: unknown, paths: readonly string[]): unknown {
  return paths.reduce(
    (value, path) => cleanAt(value, path.split("/"), path.endsWith("/reason") ? reason : visible),
    body,
  );
}

/** A reason has lines, and is read whole. */
const reason = (text: string) => visible(text.replaceAll(/\s*\n\s*/g, " "), REASON_LENGTH_MAX);

function cleanAt(value: unknown, [name, ...rest]: string[], clean: (text: string) => string): unknown {
  if (name === undefined) return typeof value === "string" ? clean(value) : value;
  if (Array.isArray(value)) return name === "*" ? value.map((item) => cleanAt(item, rest, clean)) : value;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return value;
  return { ...value, [name]: cleanAt(Reflect.get(value, name), rest, clean) };
}
