import { knownTimezone } from "../../domain/instant.ts";
import { refuse } from "../../domain/refusal.ts";

/** The runtime's spelling of a zone that a caller names. Throws `timezone_unknown` if the runtime does not know it. */
export function requireTimezone(name: string): string {
  const timezone = knownTimezone(name);
  if (timezone === null) throw refuse("timezone_unknown", { field: "/timezone" });
  return timezone;
}
