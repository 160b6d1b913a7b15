// One call of an endpoint, signed according to Standard Webhooks 1.0.0, with a time limit and a size limit.
import { BlockedAddress } from "../domain/blocked-address.ts";
import { base64, fromBase64 } from "../domain/encoding.ts";
import { readAtMost } from "../domain/read-at-most.ts";
import { withTimeLimit } from "../domain/time-limit.ts";
import { outcomeOfStatus, type WebhookAnswer } from "../domain/webhook.ts";
import { hmac } from "./digest.ts";
import type { Outbound } from "./outbound.ts";

/** The time limit for the headers and the body of the answer. */
const TIMEOUT_MS = 15_000;
const READ_BYTES_MAX = 16 * 1024;
const KEPT_BYTES_MAX = 1024;
const USER_AGENT = "Crier-Webhooks/1.0";

export interface WebhookMessage {
  /** The same on every attempt and for every endpoint. */
  id: string;
  /** JSON, sent byte for byte. */
  body: string;
}

/** Calls an endpoint once. `secrets` (`whsec_…`) all sign, the newest first. Never throws because of the endpoint. */
export async function callWebhook(
  outbound: Outbound,
  url: string,
  message: WebhookMessage,
  secrets: string[],
): Promise<WebhookAnswer> {
  const began = Date.now();
  const timestamp = Math.floor(began / 1000);
  const signatures = await Promise.all(secrets.map((secret) => signature(secret, message, timestamp)));
  const headers = {
    "content-type": "application/json",
    "user-agent": USER_AGENT,
    "webhook-id": message.id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
  const took = () => Date.now() - began;
  const silence = { status: null, retryAfterMs: null, response: null };
  return withTimeLimit(TIMEOUT_MS, async (signal): Promise<WebhookAnswer> => {
    try {
      const response = await outbound.fetch(url, { method: "POST", headers, body: message.body, signal });
      const { status } = response;
      const retryAfterMs = parseRetryAfterMs(response.headers.get("retry-after"));
      const text = await readStart(response);
      return { outcome: outcomeOfStatus(status), status, retryAfterMs, durationMs: took(), response: text };
    } catch (error) {
      const outcome = error instanceof BlockedAddress ? "blocked" : signal.aborted ? "timeout" : "network_error";
      return { outcome, ...silence, durationMs: took() };
    }
  });
}

/** `v1,<base64>` of HMAC-SHA256 over `{id}.{timestamp}.{body}`. */
async function signature(secret: string, { id, body }: WebhookMessage, timestamp: number): Promise<string> {
  const key = fromBase64(secret.replace(/^whsec_/, ""));
  return `v1,${base64(await hmac(key, `${id}.${timestamp}.${body}`))}`;
}

function parseRetryAfterMs(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : null;
}

/** The start of a body as text. */
async function readStart({ body }: Response): Promise<string> {
  return new TextDecoder().decode((await readAtMost(body, READ_BYTES_MAX)).subarray(0, KEPT_BYTES_MAX));
}
