// `If-Match` (RFC 9110, 13.1.1): the revisions of a resource that a caller is willing to change.
import { refuse } from "../domain/refusal.ts";

const TAG = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
const LIST = new RegExp(`^${TAG}(?:[ \\t]*,[ \\t]*${TAG})*$`);
/** A revision in the form of an `ETag`. Weak tags and all other tags never match a revision of ours. */
const REVISION = /(?<!W\/)"([1-9]\d{0,14})"/g;

/** The revision in a response body; null if the resource has no revisions. */
export const revisionIn = (body: unknown): number | null =>
  typeof body === "object" && body !== null && "rev" in body && typeof body.rev === "number" ? body.rev : null;

export const entityTag = (revision: number) => `"${revision}"`;

/** The revisions in the header; undefined if any revision is accepted. Throws `invalid_field`. */
export function readIfMatch(header: string | undefined): readonly number[] | undefined {
  const value = header?.trim();
  if (value === undefined || value === "*") return undefined;
  if (!LIST.test(value)) {
    throw refuse("invalid_field", {
      field: "If-Match",
      message: "If-Match is not a list of entity tags.",
      hint: 'Send the `ETag` of the post as it is, with its quotes: `If-Match: "3"`.',
    });
  }
  return [...value.matchAll(REVISION)].map(([, revision]) => Number(revision));
}
