// A network's call, as the network's owner describes it.
import type { Schema } from "./schema.ts";

export type Form = "json" | "form" | "multipart" | "bytes" | "none";

export interface Operation {
  /** The network's own name for the call. */
  name: string;
  method: string;
  /** Null if the network named the address in an answer, or if the host is the account's own server. */
  host: string | null;
  /** `{…}` matches one segment of the path. */
  path: string;
  query: Schema;
  as: Form[];
  body: Schema;
  /** The answers by status; null is an empty answer. Any other status is a refusal. */
  answers: Record<number, Schema | null>;
  refusal: Schema;
  /** The package or the page that states it. */
  source: string;
}

/** Fields that a connector reads although the description of the call lacks them, and the reason. */
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
