// The calls that endpoints received, compared with the rows of events and messages.
import { readText } from "./attribution.ts";
import { FAILING, GONE, HOOK } from "./endpoint-addresses.ts";
import { isDraft } from "./networks.ts";
import type { Say } from "./promises.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** Calls of an endpoint before an event is given up. */
const WEBHOOK_TRIES = 5;

/** An endpoint that has accepted a message since is not switched off for earlier failures. */
export function judgeEndpoints({ database, receiver }: World, say: Say): void {
  const off = "SELECT url, disabled_at, failing_since FROM webhooks WHERE disabled_reason = 'failing'";
  for (const { url, disabled_at, failing_since } of database.rows(off))
    for (const call of receiver.received)
      if (call.url === url && call.at > Number(failing_since) && call.at <= Number(disabled_at))
        say(
          "endpoint_stays_on",
          `${url} is switched off, and took a message ${Number(disabled_at) - call.at} ms before`,
        );
}

const isProof = (event: unknown): boolean => event === "delivery.succeeded" || event === "delivery.handed_over";

/** Every event was delivered, or its message says how it ended. An event is sent with the same bytes each time. */
export function judgeWebhooks({ database, receiver, networks, injected }: World, workload: Workload, say: Say): void {
  const messages = new Map(
    database
      .rows(
        `SELECT event_id, state FROM webhook_messages JOIN webhooks ON webhooks.workspace_id = webhook_messages.workspace_id
         AND webhooks.id = webhook_messages.webhook_id WHERE webhooks.disabled_at IS NULL AND webhooks.url NOT IN ('${GONE}', '${FAILING}')`,
      )
      .map((row) => [row.event_id, row.state]),
  );
  const events = new Map(database.rows("SELECT id, workspace_id, event, body FROM events").map((row) => [row.id, row]));
  const received = new Set(receiver.received.map(({ id }) => id));
  for (const [id, { workspace_id, event }] of events) {
    const isWanted = workload.tenants.some(
      ({ id: tenantId, subscribed }) => tenantId === workspace_id && subscribed.includes(String(event)),
    );
    const state = messages.get(id ?? null);
    if (!isWanted) {
      if (state !== undefined)
        say("one_event_each", `event ${id} (${event}) is sent to an endpoint that did not ask for it`);
      continue;
    }
    // Channels are connected before the workspace has an endpoint.
    if (state === undefined && event !== "channel.connected")
      say("one_event_each", `event ${id} (${event}) is sent to no endpoint`);
    else if (state === "exhausted" && injected.filter(({ platform }) => platform === "webhook").length < WEBHOOK_TRIES)
      say("one_event_each", `event ${id} was given up after fewer failures than an endpoint has tries`);
    else if (state === "skipped")
      say("one_event_each", `event ${id} is not sent to an endpoint that is not switched off`);
    else if (state === "pending") say("comes_to_rest", `event ${id} is never delivered`);
    else if (state === "delivered" && !received.has(String(id)))
      say("one_event_each", `event ${id} is said to be delivered and was not`);
  }
  for (const { url, id, body } of receiver.received) {
    const tenant = workload.tenants.find(({ index }) => url === `${HOOK}/${index}` || (url === FAILING && index === 0));
    const row = events.get(id);
    if (row !== undefined && row.body !== body) say("same_bytes", `event ${id} is sent in other bytes`);
    if (tenant === undefined || (row === undefined && !workload.erased.has(tenant.id))) {
      say("one_event_each", `${id} is sent and never happened`);
      continue;
    }
    const { event, workspace, channel: channelId, platform, post, url: address } = JSON.parse(body);
    if (workspace !== tenant.id) say("one_event_each", `${id} of ${workspace} is sent to ${tenant.id}`);
    const channel = tenant.channels.find((one) => one.id === channelId);
    if (!String(event).startsWith("delivery.")) continue;
    if (channel?.platform !== platform) say("one_event_each", `${id} is about a channel that is not ${workspace}'s`);
    if (channel === undefined || !isProof(event)) continue;
    const wanted = workload.wanted.find(({ postId }) => postId === post);
    const entries = networks.ledger
      .list({ platform, account: channel.handle })
      .filter(({ text }) => readText(text)?.n === wanted?.n && readText(text)?.part === 0);
    const isHandedOver = event === "delivery.handed_over";
    // Some networks also know a post by its id.
    const isIts = isHandedOver
      ? address === null && entries.some(isDraft)
      : entries.some((entry) => address === null || entry.url === address || address.includes(entry.id));
    if (wanted !== undefined && !isIts)
      say(
        "live_is_there",
        `${id} says that p${wanted.n} is at ${address}, and it is at ${entries.map((entry) => entry.url)}`,
      );
  }
}
