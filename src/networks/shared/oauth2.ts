// Shared code of the networks that sign in with OAuth.
import * as z from "zod";
import type { CredentialsRefused } from "../network.ts";

/** A hundred years: a network may use any number for "forever", and it must still fit a date. */
const LIFETIME_S_MAX = 100 * 365 * 86_400;

/** Lifetime of a token in seconds, according to the network. */
export const lifetimeS = z
  .number()
  .positive()
  .transform((seconds) => Math.min(seconds, LIFETIME_S_MAX));

/**
 * A token from a network: visible ASCII characters (RFC 6749, appendix A.12), because it is sent in a header. Networks
 * document no length; LinkedIn recommends room for a thousand characters (learn.microsoft.com/answers/questions/501381, read
 * 2026-11-26).
 */
export const token = z.string().regex(/^[\x21-\x7e]{1,8000}$/);

/** Tokens that a machine got by its own OAuth and supplies. */
export const handedOver = z.strictObject({
  access_token: token.max(4_000),
  refresh_token: token.max(4_000).optional(),
  expires_at: z.iso.datetime({ offset: true }).optional().meta({ description: "Expiry of `access_token`." }),
  account_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: "The network's id of the account, if the token covers several accounts." }),
  scopes: z.array(z.string().min(1).max(200)).max(50).optional(),
});

/** `expires_at` of supplied tokens in epoch milliseconds; null if their owner gave none. */
export const parseExpiry = (expiresAt: string | undefined): number | null =>
  expiresAt === undefined ? null : Date.parse(expiresAt);

/** The refusal of supplied tokens with missing scopes. */
export const scopesRefused = (missing: string[]): CredentialsRefused => ({
  is: "credentials_refused",
  field: "/scopes",
  message: `The token lacks ${missing.join(", ")}.`,
  hint: "Ask the user to consent to all of them.",
});

/** When an access token expires according to its grant (epoch milliseconds); null if unknown. */
export const endsAt = ({ expires_at }: { expires_at: number | null }): number | null => expires_at;
