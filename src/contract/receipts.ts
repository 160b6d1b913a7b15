// Receipts: what this deployment recorded about a post, signed.
import * as z from "zod";
import { ADDITION_STATUSES } from "../domain/delivery/follow-up-view.ts";
import { DELIVERY_STATUSES } from "../domain/delivery/transitions.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, buildIdParams, id, instant } from "./shapes.ts";

const hash = z.string().meta(about("SHA-256, in hexadecimal."));

const ReceiptDelivery = z.object({
  id,
  channel: id,
  platform: z.string(),
  handle: z.string().nullable().meta(about("The account's handle now; null if the channel was removed.")),
  status: z.enum(DELIVERY_STATUSES),
  scheduled_for: instant.nullable(),
  accepted: z.object({
    text_sha256: hash.meta(about("Of the text that goes out, in UTF-8.")),
    media: z.array(id),
    options_sha256: hash.meta(about("Of `options` and `poll` as JSON with sorted keys.")),
    thread: z.array(z.object({ text_sha256: hash, media: z.array(id) })).meta(about("The replies of a thread.")),
  }),
  calls: z
    .array(
      z.object({
        sent_at: instant.meta(about("Recorded before the call was made.")),
        answered_at: instant.nullable().meta(about("Null if no answer is known.")),
        outcome: z.string().nullable(),
        payload_sha256: hash.nullable(),
        files: z
          .array(z.object({ media: id, etag: z.string() }))
          .meta(
            about(
              "Files sent from the bucket. The ETag of a file that was uploaded in one call is the MD5 of its bytes.",
            ),
          ),
      }),
    )
    .meta(about("Every call that could publish.")),
  posts: z
    .array(z.object({ id: z.string(), url: z.string().nullable(), published_at: instant.nullable() }))
    .meta(about("The posts on the network, one for each part of a thread, with the network's own ids.")),
  rechecks: z.array(z.object({ at: instant, result: z.enum(["found", "altered", "not_found", "unknown", "removed"]) })),
  takedown: z
    .object({ status: z.enum(ADDITION_STATUSES), removed_at: instant.nullable() })
    .nullable()
    .meta(about("Null if no takedown was asked for.")),
});

/** The claims of a receipt. */
export const Receipt = z.object({
  iss: z.string().meta(about("The address of this deployment.")),
  sub: id.meta(about("The post.")),
  iat: z.int().meta(about("When the receipt was made, in epoch seconds.")),
  version: z.literal(1),
  workspace: id,
  created_at: instant,
  content_tag: z.string().nullable(),
  deliveries: z.array(ReceiptDelivery),
});

/** An Ed25519 key (RFC 8037). */
export const ReceiptKey = z.object({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string(),
  kid: z.string(),
  alg: z.literal("EdDSA"),
  use: z.literal("sig"),
});

const sampleKey = {
  kty: "OKP",
  crv: "Ed25519",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  kid: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
  alg: "EdDSA",
  use: "sig",
} as const;

export const getReceipt = operation({
  ...plain,
  method: "GET",
  path: "/v1/posts/:id/receipt",
  auth: "key_or_session",
  ability: "read",
  tag: "Posts",
  summary: "Get a signed receipt for a post",
  description:
    "A JWS (EdDSA) over what was accepted, each call and its answer, the network's ids and addresses, every recheck and the " +
    "takedown. The keys are also at `/.well-known/jwks.json`, where each stays for a year after its last signature.",
  params: z.object(buildIdParams(SAMPLE.post)),
  result: z
    .object({
      receipt: z.string().meta(about("The compact JWS. Its payload has the claims of a receipt.")),
      keys: z.array(ReceiptKey).meta(about("The public key that verifies it.")),
    })
    .meta({ examples: [{ receipt: "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJwb3N0XzAxIn0.c2lnbmF0dXJl", keys: [sampleKey] }] }),
  success: { 200: "The receipt, as of now." },
  refusals: ["not_found", "key_not_configured"],
});
