// How often a delivery was sent.
import { SENDS_MAX } from "../../src/domain/delivery/retry.ts";
import { readSends } from "./delivery-rows.ts";
import type { Say } from "./promises.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** Calls that published nothing and used up no retry: they never left, or their access token was rejected. */
const WITHDRAWN = ["unsent", "unauthorized"];

export function judgeSends({ database }: World, workload: Workload, say: Say): void {
  for (const row of database.rows("SELECT * FROM deliveries")) {
    const { post_id, channel_id, platform } = row;
    const wanted = workload.wanted.find(({ postId }) => postId === post_id);
    if (wanted === undefined) continue;
    const count = readSends(row).filter(({ outcome = "" }) => !WITHDRAWN.includes(outcome)).length;
    const parts = 1 + Math.max(0, ...wanted.threads(String(channel_id)).map(({ length }) => length));
    const allowed = SENDS_MAX * parts * (1 + wanted.retriedAt(String(channel_id)).length);
    if (count > allowed)
      say("sends_are_few", `p${wanted.n} on ${platform} was sent ${count} times, and ${allowed} are allowed`);
  }
}
