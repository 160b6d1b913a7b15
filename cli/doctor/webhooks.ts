// Checks whether the workspace's endpoints receive events.
import type * as z from "zod";
import type { Webhook as schema } from "../../src/contract/webhooks.ts";
import { allPages, type Client } from "../api/client.ts";
import { relativeText } from "../output/format.ts";
import { oneLine } from "../output/terminal.ts";
import type { Tell } from "./finding.ts";

type Webhook = z.output<typeof schema>;

/** More than a workspace may have. */
const WEBHOOKS_READ_MAX = 1_000;
/** An older secret has probably been exposed to too many people. */
const SECRET_OLD_MS = 365 * 86_400_000;

const WHY = { gone: "it answered with status 410", failing: "it accepted no event for five days" };

export async function webhooks(client: Client, tell: Tell): Promise<void> {
  const { items } = await allPages(async (cursor) => {
    const { body } = await client.call("webhooks.list", { query: { limit: "200", cursor } });
    return { items: body.webhooks, next: body.next };
  }, WEBHOOKS_READ_MAX);
  for (const webhook of items) await look(client, webhook, tell);
}

async function look(client: Client, webhook: Webhook, tell: Tell): Promise<void> {
  const { id, state, disabled_reason: reason, failing_since: failingSince, secret_since: secretSince } = webhook;
  const name = oneLine(webhook.url);
  const test = `fix the endpoint, then test it: POST /v1/webhooks/${id}/test`;
  const ago = (timestamp: string) => relativeText(Date.parse(timestamp), client.now());
  const { body } = await client.call("webhooks.attempts", { params: { id }, query: { limit: "1" } });
  const [last] = body.deliveries;
  const lastOutcome =
    last === undefined ? "" : `${last.response_code ?? last.outcome.replace("_", " ")} ${ago(last.attempted_at)}`;
  if (state === "disabled") {
    const reasonText = reason === null ? "" : `: ${WHY[reason]}`;
    tell("webhooks", "failed", `${name} is disabled${reasonText}. It receives no events.`, test);
  } else if (last !== undefined && last.outcome !== "delivered") {
    const since = failingSince ? `, and has failed since ${ago(failingSince)}` : "";
    const next = last.next_attempt_at === null ? "; it will not be retried" : "";
    tell("webhooks", "warning", `${name} did not accept ${last.event} (${lastOutcome})${since}${next}.`, test);
  } else
    tell(
      "webhooks",
      "ok",
      `${name}: ${last === undefined ? "no event has been sent yet" : `accepted ${last.event}, ${lastOutcome}`}.`,
    );
  // The previous release does not send this.
  if (secretSince && client.now() - Date.parse(secretSince) > SECRET_OLD_MS) {
    const hint = `POST /v1/webhooks/${id}/rotate-secret; the previous secret stays valid for one more day`;
    tell("webhooks", "warning", `The secret of ${name} was created ${ago(secretSince)}.`, hint);
  }
}
