// What is stored of a key, which is itself shown once only.
import { refuse } from "../../domain/refusal.ts";

/** How many characters of a key are stored to recognise it: its prefix, and too few of the others to guess it. */
export const START_LENGTH = 16;

/** The latest expiry. Answers write years with four digits, but an offset from UTC can make an instant later than that. */
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** The expiry that a caller sets, in epoch milliseconds; null: never. Throws `invalid_field` if it is past or too late. */
export function readExpiry(text: string | null | undefined, now: number): number | null {
  if (text === null || text === undefined) return null;
  const expiresAt = Date.parse(text);
  if (expiresAt > now && expiresAt <= LAST) return expiresAt;
  const problem = expiresAt <= now ? "in the past" : "after the year 9999";
  throw refuse("invalid_field", { field: "/expires_at", message: `\`expires_at\` is ${problem}.` });
}
