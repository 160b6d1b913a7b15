// Passkeys in the JSON form of browsers (https://www.w3.org/TR/webauthn-3/, 5.1 and 5.8, read 2026-11-24): requests to an
// authenticator, and its responses. Only the fields that we check are read from a response.
import * as z from "zod";
import { about } from "./shapes.ts";

const BYTES_MAX = 20_000;
const encoded = z
  .string()
  .max(BYTES_MAX)
  .regex(/^[\w-]+$/)
  .meta(about("Encoded as base64url."));
const type = z.literal("public-key");

const descriptor = z.object({ type, id: z.string(), transports: z.array(z.string()) });

/** The input of a browser's `parseCreationOptionsFromJSON`. */
export const PasskeyCreation = z
  .object({
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    challenge: z.string(),
    pubKeyCredParams: z.array(z.object({ type, alg: z.int() })),
    timeout: z.int(),
    excludeCredentials: z.array(descriptor),
    authenticatorSelection: z.object({
      residentKey: z.literal("discouraged"),
      userVerification: z.literal("preferred"),
    }),
    attestation: z.literal("none"),
  })
  .meta({ id: "PasskeyCreation", ...about("Options for `navigator.credentials.create`.") });

/** The input of a browser's `parseRequestOptionsFromJSON`. */
export const PasskeyRequest = z
  .object({
    challenge: z.string(),
    rpId: z.string(),
    timeout: z.int(),
    userVerification: z.literal("preferred"),
    allowCredentials: z.array(descriptor),
  })
  .meta({ id: "PasskeyRequest", ...about("Options for `navigator.credentials.get`.") });

/** `toJSON()` of the result of `navigator.credentials.create`. */
export const CreatedPasskey = z.object({
  id: encoded,
  rawId: encoded,
  type,
  response: z.object({
    clientDataJSON: encoded,
    attestationObject: encoded,
    transports: z.array(z.string().max(50)).max(10).optional(),
  }),
});

/** `toJSON()` of the result of `navigator.credentials.get`. */
export const ShownPasskey = z.object({
  id: encoded,
  rawId: encoded,
  type,
  response: z.object({
    clientDataJSON: encoded,
    authenticatorData: encoded,
    signature: encoded,
  }),
});
