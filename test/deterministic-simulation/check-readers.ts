// What readers of the event feed were shown, compared with the rows of the feed.
import type { Row } from "./database.ts";
import type { FeedReader } from "./feed-readers.ts";
import type { Say } from "./promises.ts";
import { performNow } from "./requests.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** More pages than the events of any run can fill. */
const PAGES_MAX = 5_000;

/** Copied from the product's list on purpose, so that the judge does not ask the code that it judges. */
const IN_CHANNEL_FEED = [
  "channel.connected",
  "channel.reconnected",
  "channel.disconnected",
  "channel.queue_low",
  "network.version_ending",
];

/** Each reader was shown each event of its feed once, in the order of the feed. */
export async function judgeReaders(world: World, workload: Workload, say: Say): Promise<void> {
  for (const reader of workload.readers) {
    await readRest(world, reader);
    const { tenant, options, seen } = reader;
    if (workload.erased.has(tenant.id)) continue;
    const kept = world.database.rows("SELECT * FROM events WHERE workspace_id = ? ORDER BY seq", tenant.id);
    // Events older than their retention time may be deleted before they were read (check-archive.ts).
    const forgotten = world.archive.events.filter(({ workspace_id }) => workspace_id === tenant.id);
    const isIn = ({ event }: Row) => options.hasChannels || !IN_CHANNEL_FEED.includes(String(event));
    const feed = [...forgotten, ...kept].filter(isIn);
    const seqs = new Map(feed.map(({ id, seq }) => [String(id), Number(seq)]));
    const name = `a reader of ${tenant.id} (pages of ${options.limit})`;
    const shown = new Set<string>();
    for (const id of seen) {
      if (shown.has(id)) say("feed_is_complete", `${name} was shown ${id} twice`);
      // An event that a restore took back was true when it was shown.
      if (!seqs.has(id) && world.wentBackAt === null)
        say("feed_is_complete", `${name} was shown ${id}, which is not there`);
      shown.add(id);
    }
    const missed = kept.filter(isIn).filter(({ id }) => !shown.has(String(id)));
    if (missed.length > 0)
      say(
        "feed_is_complete",
        `${name} missed ${missed.length} events, the first is ${missed[0]?.event} ${missed[0]?.seq}`,
      );
    const order = seen.flatMap((id) => seqs.get(id) ?? []);
    if (order.some((seq, i) => seq < (order[i - 1] ?? 0)))
      say("feed_is_complete", `${name} was shown events out of order`);
  }
}

/** Reads to the end of the feed after the run. */
async function readRest(world: World, reader: FeedReader): Promise<void> {
  for (let page = 0; page < PAGES_MAX; page++) {
    const answer = await performNow(world, "events.list", { query: reader.query() }, reader.tenant.key);
    if (!reader.take(answer)) return;
  }
}
