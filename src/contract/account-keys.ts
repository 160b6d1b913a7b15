import * as z from "zod";
import { ACCOUNT_SCOPES } from "../domain/account-scopes.ts";
import { ACCOUNT_KEYS_MAX, LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, buildIdParams, cursor, id, instant, limit, name, page } from "./shapes.ts";

const scopes = z
  .array(z.enum(ACCOUNT_SCOPES))
  .min(1)
  .max(20)
  .meta(
    about(
      "The key's scopes. None includes another. `workspaces`: create, list, change and delete workspaces, and read their " +
        "usage; `keys`: view, replace, create and revoke their keys; `connect`: create connect links; `read`: read what is " +
        "in them.",
    ),
  );

const sample = {
  id: SAMPLE.accountKey,
  name: "Our platform",
  start: "crier_acct_EXAMP",
  scopes: ["workspaces", "keys", "connect"] as ("workspaces" | "keys" | "connect")[],
  created_at: SAMPLE.created,
  last_used_at: null,
  expires_at: null,
};

const AccountKey = z
  .object({
    id,
    name: z.string(),
    start: z.string().meta(about("The first characters of the key, to recognize it.")),
    scopes,
    created_at: instant,
    last_used_at: instant.nullable().meta(about("Accurate to the hour; null if never used.")),
    expires_at: instant.nullable().meta(about("When the key expires; null if never.")),
  })
  .meta({ id: "AccountKey", examples: [sample] });

export const listAccountKeys = operation({
  ...plain,
  method: "GET",
  path: "/v1/auth/keys",
  auth: "session",
  tag: "Accounts",
  summary: "List your account keys",
  description: "Revoked keys are not included.",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("keys", AccountKey),
  success: { 200: `A page of keys, newest first. A person has at most ${ACCOUNT_KEYS_MAX}.` },
  refusals: ["unreadable_cursor"],
});

export const createAccountKey = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/keys",
  auth: "session",
  tag: "Accounts",
  summary: "Create an account key for a program that manages your workspaces",
  description:
    "The key acts in the workspaces that you own, which `X-Workspace` or the path names, and only as far as its scopes " +
    "say. It cannot publish: a program publishes with the key of a workspace. It ends with your account, and in a " +
    "workspace when you stop owning it. A mail tells you that it was created.",
  body: z.strictObject({
    name,
    scopes,
    password: z.string().max(1000).meta(about("Your password.")),
    expires_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .optional()
      .meta(about("When the key expires. Null or omitted for never.")),
  }),
  result: AccountKey.extend({ key: z.string().meta(about("The key itself. Shown in this answer only.")) }).meta({
    examples: [{ ...sample, key: SAMPLE.accountKeySecret }],
  }),
  success: { 201: "The key. Save it now: it is not stored and cannot be shown again." },
  refusals: ["current_password_wrong", "too_many_keys", "factor_required", "rate_limited"],
  examples: {
    "For a platform with customers": {
      name: "Our platform",
      scopes: ["workspaces", "keys", "connect"],
      password: "correct horse battery",
    },
    "For a report, for a month": {
      name: "The report",
      scopes: ["read"],
      password: "correct horse battery",
      expires_at: "2026-12-21T00:00:00Z",
    },
  },
});

export const revokeAccountKey = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/auth/keys/:id",
  auth: "session",
  tag: "Accounts",
  summary: "Revoke an account key",
  description: "The key is rejected from the next request on, and connect links that it created no longer work.",
  params: z.object(buildIdParams(SAMPLE.accountKey)),
  success: { 204: "The key is revoked." },
  refusals: ["not_found"],
});
