// Promises about each deletion by the sweeper: the row is finished and old enough, and the archive has it.
import { isEnded } from "../../src/domain/delivery/transitions.ts";
import { getState } from "./checks-always.ts";
import type { Change, Row } from "./database.ts";
import type { Say } from "./promises.ts";
import type { World } from "./world.ts";

/** Copied from docs/operations.md on purpose, so that the judge does not ask the code that it judges. */
const EVENTS_KEPT_MS = 90 * 86_400_000;
/** The largest error of a process's clock. */
const SKEW_MS = 2_000;

export function judgeForgotten(world: World, changes: readonly Change[], say: Say): void {
  if (world.acting?.kind !== "sweep") return;
  const deleted = (tableName: string): Row[] =>
    changes.flatMap(({ table, before, after }) =>
      table === tableName && after === null && before !== null ? [before] : [],
    );
  const deliveries = deleted("deliveries");
  for (const post of deleted("posts")) judgePost(world, post, deliveries, say);
  for (const { id, event, created_at } of deleted("events"))
    if (Number(created_at) > world.now() - EVENTS_KEPT_MS)
      say("feed_is_complete", `${event} ${id} is forgotten ${world.now() - Number(created_at)} ms after it happened`);
}

function judgePost(world: World, post: Row, deliveries: readonly Row[], say: Say): void {
  const { keptMs } = world.archive;
  const postDeliveries = deliveries.filter(({ post_id }) => post_id === post.id);
  const name = `${post.id} (${post.status})`;
  const youngest = world.now() - (keptMs ?? Number.POSITIVE_INFINITY) + SKEW_MS;
  if (post.finished_at === null || Number(post.finished_at) > youngest)
    say("archive_is_safe", `${name} is deleted ${world.now() - Number(post.finished_at)} ms after it finished`);
  for (const row of postDeliveries)
    if (!isEnded(getState(row)) || row.next_at !== null || row.check_at !== null)
      say("archive_is_safe", `${name} is deleted while ${row.platform} is ${row.state} and has something due`);
  const line = world.archive
    .filesOf(String(post.workspace_id))
    .flatMap((text) => text.trimEnd().split("\n"))
    .find((text) => text.includes(`"${post.id}"`));
  if (line === undefined) say("archive_is_safe", `${name} is deleted and in no file of the archive`);
  for (const row of postDeliveries)
    if (line?.includes(`"${row.channel_id}"`) === false)
      say("archive_is_safe", `${name} is in the archive without its delivery to ${row.platform}`);
}
