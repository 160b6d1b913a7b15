// What the networks that sign in with OAuth have in common.
import * as z from "zod";
import type { CredentialsRefused } from "../network.ts";

/** A hundred years: a network may mean "for ever" by any number, and a date has to come of it. */
const LIFETIME_S_MAX = 100 * 365 * 86_400;

/** Seconds that a token lives, as a network says. */
export const lifetimeS = z
  .number()
  .positive()
  .transform((seconds) => Math.min(seconds, LIFETIME_S_MAX));

/**
 * A token as a network gives it: visible ASCII characters (RFC 6749, appendix A.12), because it goes into a header. Networks name no
 * length; LinkedIn says to be ready for a thousand characters (learn.microsoft.com/answers/questions/501381, read 2026-11-26).
 */
export const token = z.string().regex(/^[\x21-\x7e]{1,8000}$/);

/** Tokens that a machine got by its own OAuth and hands over. */
export const handedOver = z.strictObject({
  access_token: token.max(4_000),
  refresh_token: token.max(4_000).optional(),
  expires_at: z.iso.datetime({ offset: true }).optional().meta({ description: "When `access_token` expires." }),
  account_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: "The network's id of the account, where the token covers several." }),
  scopes: z.array(z.string().min(1).max(200)).max(50).optional(),
});

/** `expires_at` of what was handed over, in epoch milliseconds; null: its owner did not say. */
export const expiryOf = (expiresAt: string | undefined): number | null =>
  expiresAt === undefined ? null : Date.parse(expiresAt);

/** Tokens that were handed over with scopes of which some are missing. */
export const scopesRefused = (missing: string[]): CredentialsRefused => ({
  is: "credentials_refused",
  field: "/scopes",
  message: `The token lacks ${missing.join(", ")}.`,
  hint: "Let the user consent to all of them.",
});

/** When an access token ends, by the grant that it came with (epoch milliseconds); null: nobody said. */
export const endsAt = ({ expires_at }: { expires_at: number | null }): number | null => expires_at;
