// The stored credential of an account: a session of an app password, or of a sign-in in the browser (OAuth).
import * as z from "zod";

const account = {
  did: z.string(),
  handle: z.string(),
  /** The server that holds the account's data. */
  pds: z.string(),
};

const PasswordCredential = z.object({
  ...account,
  identifier: z.string(),
  app_password: z.string(),
  /** The server that creates sessions. */
  entryway: z.string(),
  access_jwt: z.string(),
  refresh_jwt: z.string(),
});
export type PasswordCredential = z.output<typeof PasswordCredential>;

/** A private key of P-256 as a JSON Web Key (RFC 7518, 6.2). */
export const ProofKey = z.object({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});
export type ProofKey = z.output<typeof ProofKey>;

const OAuthCredential = z.object({
  ...account,
  /** The authorization server, by its identifier. */
  issuer: z.string(),
  access_token: z.string(),
  refresh_token: z.string(),
  /** The instant at which `access_token` was issued, and its expiry, in epoch milliseconds. */
  issued_at: z.number(),
  expires_at: z.number(),
  /** The session's own key: each call proves that its sender has it. */
  proof_key: ProofKey,
  /** The deployment's key that the session is bound to; null: the deployment is a public client. */
  client_key: z.string().nullable(),
});
export type OAuthCredential = z.output<typeof OAuthCredential>;

export const Credential = z.union([OAuthCredential, PasswordCredential]);
export type Credential = z.output<typeof Credential>;

export const isOAuth = (credential: Credential): credential is OAuthCredential => "proof_key" in credential;
