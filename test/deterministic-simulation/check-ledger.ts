// Promises about each new post on a network: threads are in order, nothing goes out without approval, and nothing is deleted
// without a request.
import type { LedgerEntry } from "../../simulators/ledger.ts";
import { getThreadPosition, readText } from "./attribution.ts";
import { hashOfFile } from "./check-payload.ts";
import { listThreadParts } from "./delivery-rows.ts";
import { hasText } from "./networks.ts";
import type { Say } from "./promises.ts";
import type { Channel, Seen, Wanted } from "./wanted.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

interface Target {
  wanted: Wanted;
  channel: Channel;
}

/** A part of a thread is published under the previous part, which was proven to be live before. */
export function judgeOrder(world: World, entry: LedgerEntry, { wanted, channel }: Target, say: Say): void {
  const position = getThreadPosition(entry);
  if (position === 0) {
    if (entry.detail.reply_to !== undefined) say("thread_in_order", `p${wanted.n} itself is a reply`);
    return;
  }
  const name = `part ${position} of p${wanted.n} on ${channel.platform}`;
  const before = world.networks.ledger
    .list({ platform: entry.platform, account: entry.account })
    .filter(
      ({ text, id }) =>
        id !== entry.id && readText(text)?.n === wanted.n && getThreadPosition({ text }) === position - 1,
    );
  if (before.length === 0) say("thread_in_order", `${name} is out without the part before it`);
  else if (!before.some(({ id }) => id === entry.detail.reply_to))
    say("thread_in_order", `${name} is under ${entry.detail.reply_to}, and the part before it is ${before[0]?.id}`);
  const rows = world.database.rows(
    "SELECT deliveries.*, posts.text FROM deliveries JOIN posts ON posts.id = post_id WHERE channel_id = ?",
    channel.id,
  );
  const mine = rows.filter(({ text }) => readText(String(text))?.n === wanted.n);
  const proven = mine.map((row) => listThreadParts(world, row).length);
  if (mine.length > 0 && Math.max(...proven) < position)
    say("thread_in_order", `${name} is out, and nobody has written that the part before it is`);
}

/** A published post equals, byte for byte, what was approved. */
export function judgeApproved(entry: LedgerEntry, { wanted, channel }: Target, workload: Workload, say: Say): void {
  const { approvals } = wanted;
  if (approvals === null) return;
  const name = `p${wanted.n} on ${channel.platform}`;
  const { files } = workload.getTenant(wanted.workspace);
  const digests = entry.media.map(({ sha256 }) => sha256).join();
  const isIt = ({ seen: approved }: { seen: Seen }) => {
    const content = getContent(approved, channel.id, getThreadPosition(entry));
    return (
      content !== undefined &&
      hasText(entry, content.text) &&
      content.media.map((id) => hashOfFile(files, id)).join() === digests
    );
  };
  if (!approvals.some(isIt)) say("approval_holds", `${name} is out as ${entry.text}, which nobody approved`);
}

/** The fields of one part on one channel that an approver saw. */
function getContent(approved: Seen, channel: string, position: number) {
  const override = approved.overrides[channel] ?? {};
  if (position > 0) return (override.thread ?? approved.thread)[position - 1];
  return { text: override.text ?? approved.text, media: override.media ?? approved.media };
}

/** Takedowns that were refused for a reason that required no action. */
const NOT_BEGUN = /^(delivery_not_live|takedown_not_offered|not_found|channel_)/;

/** Keeps the posts that are known to be deleted. */
export class Deletions {
  readonly #known = new Set<LedgerEntry>();

  judge({ networks }: World, findTarget: (entry: LedgerEntry) => Target | null, say: Say): void {
    for (const entry of networks.ledger.list()) {
      if (!entry.deleted || this.#known.has(entry)) continue;
      this.#known.add(entry);
      if (networks.removedByOwner.has(entry)) continue;
      const target = findTarget(entry);
      const wasRequested =
        target?.wanted.takedowns.some(({ channel, why }) => channel === target.channel.id && !NOT_BEGUN.test(why)) ??
        false;
      if (!wasRequested)
        say(
          "takedown_was_asked",
          `${entry.platform} ${entry.account} has "${entry.text.slice(0, 60)}" no more, and nobody asked for that`,
        );
    }
  }
}
