// Second factors of the signed-in user: authenticator apps and passkeys, and recovery codes to replace them.
import * as z from "zod";
import { FACTOR_KINDS, RECOVERY_CODES_COUNT } from "../domain/factor.ts";
import { FACTORS_MAX } from "../domain/limits.ts";
import { SignedIn } from "./accounts.ts";
import { operation, plain } from "./operation.ts";
import { CreatedPasskey, PasskeyCreation, ShownPasskey } from "./passkeys.ts";
import { SAMPLE } from "./samples.ts";
import { about, buildIdParams, id, instant, name } from "./shapes.ts";

const kind = z
  .enum(FACTOR_KINDS)
  .meta(about("`totp`: an authenticator app that shows six digits. `passkey`: a WebAuthn authenticator."));
/** Only compared with the stored password. */
const password = z.string().max(1000).meta(about("The account's password."));
const code = z.string().max(100).meta(about("The six digits that the app shows. Each code works once."));

const sample = {
  id: SAMPLE.factor,
  kind: "totp",
  name: "Phone",
  created_at: SAMPLE.signedUp,
  last_used_at: SAMPLE.created,
} as const;

const Factor = z
  .object({ id, kind, name: z.string(), created_at: instant, last_used_at: instant.nullable() })
  .meta({ id: "Factor", examples: [sample] });

const recoveryCodes = z
  .array(z.string())
  .length(RECOVERY_CODES_COUNT)
  .meta(about("Recovery codes. Each replaces a factor once. Shown in this answer only."));

const SAMPLE_CODES = Array.from(
  { length: RECOVERY_CODES_COUNT },
  (_, i) => `exam-ple${"abcdefghij".charAt(i)}-only-code`,
);

/** The possible answers to a challenge; exactly one is given. */
const factorFields = {
  challenge: z
    .string()
    .max(100)
    .meta(about("The `challenge` from the 401 `factor_required`. It works once, for ten minutes.")),
  code: code.optional(),
  recovery_code: z.string().max(100).optional().meta(about("A recovery code, instead of `code`.")),
  passkey: ShownPasskey.optional().meta(
    about("The browser's response to the `passkey` of the 401, instead of `code`."),
  ),
};
export type Shown = z.output<z.ZodObject<typeof factorFields>>;

const SAMPLE_CHALLENGE = `factor_${"example".repeat(6)}0`;

export const listFactors = operation({
  ...plain,
  method: "GET",
  path: "/v1/auth/factors",
  auth: "session",
  tag: "Accounts",
  summary: "List your second factors",
  result: z
    .object({
      factors: z.array(Factor),
      recovery_codes_left: z.int(),
      next: z.null().meta(about(`Always null: a user has at most ${FACTORS_MAX} factors.`)),
    })
    .meta({ examples: [{ factors: [sample], recovery_codes_left: 9, next: null }] }),
  success: { 200: "Your factors, oldest first. A factor that is not confirmed yet is not included." },
  refusals: [],
});

export const addFactor = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/factors",
  auth: "session",
  tag: "Accounts",
  summary: "Start setting up a second factor",
  description:
    "The factor takes effect once confirmed, within ten minutes. Starting another cancels any unconfirmed one. " +
    "If the account already has a factor, prove that factor first.",
  body: z.strictObject({ kind, name: name.optional(), password }),
  result: z
    .object({
      id,
      kind,
      name: z.string(),
      expires_at: instant.meta(about("The deadline to confirm the factor.")),
      secret: z
        .string()
        .nullable()
        .meta(about("The secret in base32, for an app that cannot read `otpauth_url`. Shown once.")),
      otpauth_url: z
        .string()
        .nullable()
        .meta(about("The address for an authenticator app, usually shown as a QR code.")),
      options: PasskeyCreation.nullable().meta(about("For a passkey: the options for the browser.")),
    })
    .meta({
      id: "BegunFactor",
      examples: [
        {
          id: SAMPLE.factor,
          kind: "totp",
          name: "Phone",
          expires_at: SAMPLE.created,
          secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
          otpauth_url: "otpauth://totp/Crier%3Aada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Crier",
          options: null,
        },
      ],
    }),
  success: { 201: "The data for the app or browser. Confirm it with `POST /v1/auth/factors/:id/confirm`." },
  refusals: ["current_password_wrong", "factor_required", "too_many_factors", "key_not_configured"],
  examples: {
    "An authenticator app": { kind: "totp", name: "Phone", password: "correct horse battery" },
    "A passkey": { kind: "passkey", name: "Laptop", password: "correct horse battery" },
  },
});

export const confirmFactor = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/factors/:id/confirm",
  auth: "session",
  tag: "Accounts",
  summary: "Confirm a second factor",
  description:
    "A confirmed factor is required at every sign-in and before protected calls. Confirming the first factor creates " +
    "recovery codes and ends every other session.",
  params: z.object(buildIdParams(SAMPLE.factor)),
  body: z.strictObject({
    code: code.optional(),
    passkey: CreatedPasskey.optional().meta(about("For a passkey: the browser's response to `options`.")),
  }),
  result: z
    .object({
      factor: Factor,
      recovery_codes: recoveryCodes
        .nullable()
        .meta(about("null if this is not the first factor. Existing codes remain valid.")),
    })
    .meta({ examples: [{ factor: { ...sample, last_used_at: null }, recovery_codes: SAMPLE_CODES }] }),
  success: { 200: "The factor. Store the recovery codes separately from it." },
  refusals: ["not_found", "factor_invalid"],
  examples: { "The code of the app": { code: "287082" } },
});

export const removeFactor = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/auth/factors/:id",
  auth: "session",
  tag: "Accounts",
  summary: "Remove a second factor",
  description: "Removing the last factor also deletes the recovery codes.",
  params: z.object(buildIdParams(SAMPLE.factor)),
  body: z.strictObject({ password }),
  success: { 204: "The factor is removed." },
  refusals: ["not_found", "current_password_wrong", "factor_required"],
  examples: { "With the password": { password: "correct horse battery" } },
});

export const renewRecoveryCodes = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/factors/recovery-codes",
  auth: "session",
  tag: "Accounts",
  summary: "Replace your recovery codes",
  body: z.strictObject({ password }),
  result: z.object({ recovery_codes: recoveryCodes }).meta({ examples: [{ recovery_codes: SAMPLE_CODES }] }),
  success: { 200: "The new codes. The old ones no longer work." },
  refusals: ["not_found", "current_password_wrong", "factor_required"],
  examples: { "With the password": { password: "correct horse battery" } },
});

export const proveFactor = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/factors/prove",
  auth: "session",
  tag: "Accounts",
  summary: "Prove a second factor in a session",
  description: "Then repeat the call that answered `factor_required` within five minutes. One proof covers one call.",
  body: z.strictObject(factorFields),
  success: { 204: "The next protected call of this session is allowed." },
  refusals: ["factor_invalid"],
  examples: { "The code of the app": { challenge: SAMPLE_CHALLENGE, code: "287082" } },
});

export const signInWithFactor = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/login/factor",
  auth: "none",
  tag: "Accounts",
  summary: "Sign in with a second factor",
  description:
    "The second sign-in step, with the `challenge` from the 401 of `POST /v1/auth/login` or `POST /v1/auth/reset`.",
  body: z.strictObject(factorFields),
  result: SignedIn,
  success: {
    200: "A new session, as a token and as a cookie. The proof also covers one protected call within five minutes.",
  },
  refusals: ["factor_invalid"],
  examples: {
    "The code of the app": { challenge: SAMPLE_CHALLENGE, code: "287082" },
    "A recovery code": { challenge: SAMPLE_CHALLENGE, recovery_code: "exam-plea-only-code" },
  },
  session: "begins",
});
