// Verifies webhook calls at their endpoint: Standard Webhooks 1.0.0.
import { fromBase64 } from "../domain/encoding.ts";
import type { WebhookEventName } from "./calls.ts";
import { CrierError } from "./errors.ts";

/** The payload of a webhook call. It has the same fields as the event in the event feed. */
export interface WebhookEvent {
  event: WebhookEventName;
  /** The same event may arrive twice, so remember the ids. */
  id: string;
  created_at: string;
  workspace: string;
  [field: string]: unknown;
}

/** A call that the secret did not sign, or that is too old. Answer 400 or 401. */
export class WebhookInvalid extends CrierError {
  override name = "WebhookInvalid";
}

/** A call with a timestamp further from the local clock may be a replay. */
const TOLERANCE_MS = 300_000;
/** Each signature costs a pass over the body. Crier signs with at most two secrets. */
const SIGNATURES_MAX = 16;

/**
 * Returns the event of a call. `body`: its raw bytes, as text. `secrets` (`whsec_…`): any of them may have signed. Throws
 * `WebhookInvalid`.
 */
export async function verifyWebhook(
  { body, headers }: { body: string; headers: Headers | Record<string, string | string[] | undefined> },
  secrets: string | readonly string[],
  now: number = Date.now(),
): Promise<WebhookEvent> {
  const read = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== "string" || value === "") throw new WebhookInvalid(`The call has no header ${name}.`);
    return value;
  };
  const [id, time, signatures] = [read("webhook-id"), read("webhook-timestamp"), read("webhook-signature")];
  if (!/^\d{1,12}$/.test(time) || !(Math.abs(now - Number(time) * 1000) <= TOLERANCE_MS)) {
    throw new WebhookInvalid("The call was signed more than five minutes ago, or in the future.");
  }
  const entries = signatures.split(" ").slice(0, SIGNATURES_MAX);
  const message = new TextEncoder().encode(`${id}.${time}.${body}`);
  for (const secret of [secrets].flat()) {
    if (!secret.startsWith("whsec_")) throw new TypeError("A webhook's secret begins with whsec_.");
    const bytes = fromBase64(secret.slice("whsec_".length));
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const [version, signature] of entries.map((entry) => entry.split(","))) {
      if (version !== "v1" || signature === undefined || !/^[A-Za-z0-9+/]{43}=$/.test(signature)) continue;
      if (await crypto.subtle.verify("HMAC", key, fromBase64(signature), message)) return readEvent(body);
    }
  }
  throw new WebhookInvalid("The signature does not fit the secret and the body.");
}

/** A signed body is trusted to match the contract, if it is an object at all. */
function readEvent(body: string): WebhookEvent {
  try {
    const event: WebhookEvent | null = JSON.parse(body);
    if (typeof event === "object" && event !== null && !Array.isArray(event)) return event;
  } catch {
    // The error below says the same.
  }
  throw new WebhookInvalid("The body of the call is not an event.");
}
