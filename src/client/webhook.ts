// Calls of a webhook as its endpoint takes them: Standard Webhooks 1.0.0.
import { fromBase64 } from "../domain/encoding.ts";
import type { WebhookEventName } from "./calls.ts";
import { CrierError } from "./errors.ts";

/** What a webhook is called with: the fields of the event feed, as far as the event has them. */
export interface WebhookEvent {
  event: WebhookEventName;
  /** The same event may come twice: remember it. */
  id: string;
  created_at: string;
  workspace: string;
  [field: string]: unknown;
}

/** A call that nobody has signed with the secret, or long ago. Answer 400 or 401. */
export class WebhookInvalid extends CrierError {
  override name = "WebhookInvalid";
}

/** A call whose time is further from ours may be an old one, repeated by somebody who had listened. */
const TOLERANCE_MS = 300_000;

/**
 * Returns the event of a call. `body`: its bytes as they came, as text. `secrets` (`whsec_…`): any of them may have signed.
 * Throws `WebhookInvalid`.
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
  if (!/^\d{1,12}$/.test(time) || Math.abs(now - Number(time) * 1000) > TOLERANCE_MS) {
    throw new WebhookInvalid("The call was signed more than five minutes ago, or in the future.");
  }
  const message = new TextEncoder().encode(`${id}.${time}.${body}`);
  for (const secret of [secrets].flat()) {
    if (!secret.startsWith("whsec_")) throw new TypeError("A webhook's secret begins with whsec_.");
    const bytes = fromBase64(secret.slice("whsec_".length));
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const [version, signature] of signatures.split(" ").map((part) => part.split(","))) {
      if (version !== "v1" || signature === undefined || !/^[A-Za-z0-9+/]{43}=$/.test(signature)) continue;
      if (await crypto.subtle.verify("HMAC", key, fromBase64(signature), message)) return JSON.parse(body);
    }
  }
  throw new WebhookInvalid("The signature does not fit the secret and the body.");
}
