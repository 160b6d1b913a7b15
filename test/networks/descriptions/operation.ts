// One call of a network as its owner describes it.
import type { Schema } from "./schema.ts";

export type Form = "json" | "form" | "multipart" | "bytes" | "none";

export interface Operation {
  /** The network's own name of it. */
  name: string;
  method: string;
  /** Null: an address that the network itself named in an answer, or that belongs to the account (a server of its own). */
  host: string | null;
  /** `{…}` stands for one part of the path. */
  path: string;
  query: Schema;
  as: Form[];
  body: Schema;
  /** By status; null is an empty answer. What is not named is a refusal. */
  answers: Record<number, Schema | null>;
  refusal: Schema;
  /** The package or the page that says so. */
  source: string;
}

/** Fields that a connector reads though the call is not described to have them, and why. */
interface ReadAll {
  /** Names of operations. */
  calls: string[];
  fields: string[];
  why: string;
}

export interface Description {
  platform: string;
  operations: Operation[];
  reads: ReadAll[];
  defs: Record<string, Schema>;
}

export const NO_FIELDS: Schema = { type: "object", properties: {}, additionalProperties: false };

const patterns = new Map<string, RegExp>();
export function matches({ host, path }: Operation, address: { host: string | null; pathname: string }): boolean {
  if (host !== null && host !== address.host) return false;
  let pattern = patterns.get(path);
  if (pattern === undefined) {
    const source = path.replace(/[.+^$()|[\]\\*?]/g, "\\$&").replace(/\{[^}]*\}/g, "[^/]+");
    pattern = new RegExp(`^${source}$`);
    patterns.set(path, pattern);
  }
  return pattern.test(address.pathname);
}
