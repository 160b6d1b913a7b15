// Pins that are refused for what their account is, not for what they hold.
import { hasPersona } from "../personas.ts";
import { ApiError } from "./problem.ts";

/** What an app with trial access is answered, whose pins nobody but their owner would see: pinterest/api-description 5.23.0. */
const TRIAL = "You are not permitted to access that resource: Apps with Trial access may not create Pins in production";
/** What is answered once to each pin, and passes: gitroomhq/postiz-app pull requests 1907 and 1931, read 2026-11-24. */
const PASSING: readonly (readonly [string, readonly [number, number, string]])[] = [
  ["passing_1", [400, 1, "Sorry, we could not fetch the image."]],
  ["passing_235", [400, 235, "Sorry, something went wrong."]],
  ["passing_2787", [500, 2787, "Sorry! Something went wrong on our end."]],
];

/** Throws what an account of a persona is answered; `excused`: the pins, by account and link, that were refused once. */
export function refuseByPersona(account: string, link: string, excused: Set<string>): void {
  if (hasPersona(account, "trial")) throw new ApiError(403, 29, TRIAL);
  const passing = PASSING.find(([persona]) => hasPersona(account, persona));
  const pin = `${account} ${link}`;
  if (passing === undefined || excused.has(pin)) return;
  excused.add(pin);
  throw new ApiError(...passing[1]);
}
