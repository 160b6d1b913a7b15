// One call of an endpoint: signed as Standard Webhooks 1.0.0 says, with a time limit and a size limit.
import { outcomeOfStatus, type WebhookAnswer } from "../domain/webhook.ts";
import { BlockedAddress, type Outbound } from "./outbound.ts";

/** To the end of headers and body. */
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

/** Calls an endpoint once. `secrets` (`whsec_…`) all sign, the newest first. Never throws for what the endpoint does. */
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
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const took = () => Date.now() - began;
  const silence = { status: null, retryAfterMs: null, response: null };
  try {
    const response = await outbound.fetch(url, { method: "POST", headers, body: message.body, signal });
    const { status } = response;
    const retryAfterMs = secondsOf(response.headers.get("retry-after"));
    const text = await readStart(response);
    return { outcome: outcomeOfStatus(status), status, retryAfterMs, durationMs: took(), response: text };
  } catch (error) {
    const outcome = error instanceof BlockedAddress ? "blocked" : signal.aborted ? "timeout" : "network_error";
    return { outcome, ...silence, durationMs: took() };
  }
}

/** `v1,<base64>` of HMAC-SHA256 over `{id}.{timestamp}.{body}`. */
async function signature(secret: string, { id, body }: WebhookMessage, timestamp: number): Promise<string> {
  const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (character) => character.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`${id}.${timestamp}.${body}`));
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signed)))}`;
}

function secondsOf(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : null;
}

/** The beginning of a body as text; the rest is not read. */
async function readStart(response: Response): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  let kept = new Uint8Array(0);
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (kept.byteLength < KEPT_BYTES_MAX) {
      const more = value.subarray(0, KEPT_BYTES_MAX - kept.byteLength);
      kept = Uint8Array.from([...kept, ...more]);
    }
    if (bytes < READ_BYTES_MAX) continue;
    await reader.cancel();
    break;
  }
  return new TextDecoder().decode(kept);
}
