// The reported result of a recheck matches what the network showed; and requests that failed with 500.
import { readText } from "./attribution.ts";
import { readNetworkPost } from "./delivery-rows.ts";
import type { Say } from "./promises.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

export function judgeReadback(world: World, workload: Workload, say: Say): void {
  for (const row of world.database.rows("SELECT * FROM deliveries")) {
    const { post_id, channel_id, platform } = row;
    const { readback = null } = readNetworkPost(row) ?? {};
    const n = workload.wanted.find(({ postId }) => postId === post_id)?.n;
    const account = workload.channels.find(({ id }) => id === channel_id)?.handle;
    if (n === undefined || account === undefined) continue;
    const entries = world.networks.ledger.list({ platform: String(platform), account });
    const name = `p${n} on ${platform}`;
    const state = readback?.state ?? null;
    const wasAltered = world.altered.wasRead(entries.filter(({ text }) => readText(text)?.n === n));
    if (state === "altered" && !wasAltered)
      say("readback_is_true", `${name} is told to be altered (${readback?.altered}) and was shown as it was accepted`);
    if (state === "verified" && wasAltered)
      say("readback_is_true", `${name} is told to be verified and was shown otherwise`);
    const [events] = world.database.rows(
      "SELECT COUNT(*) AS count FROM events WHERE event = 'delivery.altered' AND post_id = ? AND channel_id = ?",
      String(post_id),
      String(channel_id),
    );
    if (Number(events?.count) !== Number(state === "altered"))
      say("readback_is_true", `${name} is ${state} with ${events?.count} events that say altered`);
  }
}

/** A request fails with 500 only after a fault. */
export function judgeFailedRequests({ failed, injected }: World, say: Say): void {
  for (const { process, what } of failed)
    if (!injected.some((fault) => fault.process === process)) say("errors_are_explained", what);
}
