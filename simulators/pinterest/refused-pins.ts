// Pins that are refused because of their account rather than their content.
import { hasPersona } from "../personas.ts";
import { ApiError } from "./problem.ts";

/** The refusal for an app with trial access, whose pins only their owner would see: pinterest/api-description 5.23.0. */
const TRIAL = "You are not permitted to access that resource: Apps with Trial access may not create Pins in production";
/** Transient refusals, one for each pin: gitroomhq/postiz-app pull requests 1907 and 1931, read 2026-11-24. */
const PASSING: readonly (readonly [string, readonly [number, number, string]])[] = [
  ["passing_1", [400, 1, "Sorry, we could not fetch the image."]],
  ["passing_235", [400, 235, "Sorry, something went wrong."]],
  ["passing_2787", [500, 2787, "Sorry! Something went wrong on our end."]],
];

/**
 * Throws the refusal that an account's persona asks for. `excused`: the pins, by account and link, that were refused before.
 */
export function refuseByPersona(account: string, link: string, excused: Set<string>): void {
  if (hasPersona(account, "trial")) throw new ApiError(403, 29, TRIAL);
  const passing = PASSING.find(([persona]) => hasPersona(account, persona));
  const pin = `${account} ${link}`;
  if (passing === undefined || excused.has(pin)) return;
  excused.add(pin);
  throw new ApiError(...passing[1]);
}
