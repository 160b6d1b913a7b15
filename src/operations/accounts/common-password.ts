import { refuse } from "../../domain/refusal.ts";
import { COMMON_PASSWORDS } from "./common-passwords.ts";

let common: ReadonlySet<string> | undefined;

/** Refuses the most common passwords. The list is decoded when the first password arrives. */
export function refuseCommon(password: string): void {
  common ??= listed();
  if (common.has(password.toLowerCase())) throw refuse("password_too_common", { field: "/password" });
}

/** Decodes the list. Each entry omits the prefix that it shares with the entry before it. */
function listed(): Set<string> {
  const passwords = new Set<string>();
  let before = "";
  for (const [, shared = "", suffix = ""] of COMMON_PASSWORDS.matchAll(/([A-Z])([^A-Z\n]*)/g)) {
    before = before.slice(0, shared.charCodeAt(0) - "A".charCodeAt(0)) + suffix;
    passwords.add(before);
  }
  return passwords;
}
