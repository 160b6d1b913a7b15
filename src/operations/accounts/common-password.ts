import { refuse } from "../../domain/refusal.ts";
import { COMMON_PASSWORDS } from "./common-passwords.ts";

let common: ReadonlySet<string> | undefined;

/** Refuses the passwords that anybody would try first. The list is read when the first password comes. */
export function refuseCommon(password: string): void {
  common ??= listed();
  if (common.has(password.toLowerCase())) throw refuse("password_too_common", { field: "/password" });
}

/** The list, whose entries leave out what they share with the one before. */
function listed(): Set<string> {
  const passwords = new Set<string>();
  let before = "";
  for (const [, shared = "", rest = ""] of COMMON_PASSWORDS.matchAll(/([A-Z])([^A-Z\n]*)/g)) {
    before = before.slice(0, shared.charCodeAt(0) - "A".charCodeAt(0)) + rest;
    passwords.add(before);
  }
  return passwords;
}
