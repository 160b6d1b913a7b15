import { refuse } from "../../domain/refusal.ts";

/** How far down the list of leaked passwords one is still too common. */
const RANK_MAX = 10_000;
let common: ReadonlySet<string> | undefined;

/** Refuses the passwords that anybody would try first. The list is read when the first password comes. */
export async function refuseCommon(password: string): Promise<void> {
  if (common === undefined) {
    const { dictionary } = await import("@zxcvbn-ts/language-common");
    common = new Set(dictionary["passwords-common"].slice(0, RANK_MAX));
  }
  if (common.has(password.toLowerCase())) throw refuse("password_too_common", { field: "/password" });
}
