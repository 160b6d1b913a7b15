import { refuse } from "../../domain/refusal.ts";
import { COMMON_PASSWORDS } from "./common-passwords.ts";

let common: ReadonlySet<string> | undefined;

/** Refuses the passwords that anybody would try first. The list is read when the first password comes. */
export function refuseCommon(password: string): void {
  common ??= new Set(COMMON_PASSWORDS.trim().split(/\s/));
  if (common.has(password.toLowerCase())) throw refuse("password_too_common", { field: "/password" });
}
