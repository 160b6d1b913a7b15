// Promises of a run whose database was restored to an earlier minute. Its rows have lost some of what callers were told, so
// only the networks' posts are judged, and that everything ends.

import type { LedgerEntry } from "../../simulators/ledger.ts";
import { isEnded } from "../../src/domain/delivery/transitions.ts";
import { INVARIANTS } from "../../src/store/invariants.ts";
import { getThreadPosition, readText } from "./attribution.ts";
import { isUncountable } from "./check-summaries.ts";
import { getState, isComment } from "./checks-always.ts";
import type { Verdict } from "./checks-at-end.ts";
import { readLastTry } from "./delivery-rows.ts";
import { hasText } from "./networks.ts";
import type { Say } from "./promises.ts";
import { noCounts } from "./tally.ts";
import type { Channel, Wanted } from "./wanted.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** `at`: when the database was restored. `broken`: promises that were broken earlier. */
export function judgeRestored(world: World, workload: Workload, at: number, broken: string[]): Verdict {
  const verdict: Verdict = { ...noCounts(), unknown: [], broken, causes: {} };
  const say: Say = (rule, what) => {
    world.note(`BROKEN ${rule} ${what}`);
    broken.push(`${rule} ${what}`);
  };
  for (const wanted of workload.wanted)
    for (const channel of workload.channels) judgeEntries(world, workload, { wanted, channel, at }, say);
  for (const row of world.database.rows("SELECT * FROM deliveries")) {
    const state = getState(row);
    if (!isEnded(state)) say("all_end", `${row.post_id} on ${row.platform} is ${state} at the end`);
    if (state === "live") verdict.live++;
    if (state === "handed_over") verdict.handedOver++;
    if (state === "failed") verdict.failed++;
    if (state === "outcome_unknown") verdict.unknown.push(`${row.platform}: ${readLastTry(row).detail}`);
  }
  verdict.unconfirmedExplained = verdict.unknown.length;
  for (const { name, says, sql } of INVARIANTS) {
    if (isUncountable(world, name)) continue;
    const rows = world.database.rows(sql);
    if (rows.length > 0) say("audit_finds_nothing", `${name}: ${says} ${rows.length} rows: ${JSON.stringify(rows[0])}`);
  }
  return verdict;
}

function judgeEntries(
  { networks }: World,
  workload: Workload,
  { wanted, channel, at }: { wanted: Wanted; channel: Channel; at: number },
  say: Say,
): void {
  const name = `p${wanted.n} on ${channel.platform} ${channel.handle}`;
  const entries = networks.ledger
    .list({ platform: channel.platform, account: channel.handle })
    .filter((entry) => !isComment(entry) && !entry.deleted && readText(entry.text)?.n === wanted.n);
  const counts = new Map<number, number>();
  for (const entry of entries) counts.set(getThreadPosition(entry), (counts.get(getThreadPosition(entry)) ?? 0) + 1);
  // Posts that are queued for a channel go out once the same account is reconnected.
  const againAt = workload.reconnectedAt.get(channel.id) ?? Number.POSITIVE_INFINITY;
  // A draft that was released after the restored minute is a draft again, so its caller may release it once more.
  const isReleasedAgain = wanted.draft.writes.some(({ value, refused, askedAt }) => !value && !refused && askedAt > at);
  for (const [part, count] of counts)
    if (count > (isReleasedAgain ? 2 : 1)) say("published_once", `part ${part} of ${name} is there ${count} times`);
  const comments = networks.ledger.list().filter((entry) => isComment(entry) && isUnder(entry, entries));
  if (comments.length > 1) say("published_once", `${name} has ${comments.length} first comments`);
  for (const entry of entries.filter(({ at_ms }) => at_ms > at)) {
    if (wanted.surelyCancelledAt !== null && wanted.surelyCancelledAt <= at)
      say("stop_holds", `${name} is out though it was cancelled before the restore`);
    if ((workload.surelyRemoved.get(channel.id) ?? Number.POSITIVE_INFINITY) <= at && entry.at_ms < againAt)
      say("stop_holds", `${name} is out though its channel was disconnected before the restore`);
    if (
      getThreadPosition(entry) === 0 &&
      !wanted.texts(channel.id, entry.at_ms).some((text) => hasText(entry, text) || isSameRevision(text, entry.text))
    )
      say("sent_as_asked", `${name} is out as ${entry.text}, which was edited before the restore`);
  }
}

/** Networks may show a text in another form. */
const isSameRevision = (one: string, other: string): boolean =>
  readText(one)?.n === readText(other)?.n && readText(one)?.revision === readText(other)?.revision;

const isUnder = ({ detail }: LedgerEntry, entries: LedgerEntry[]): boolean =>
  entries.some(({ id }) => detail.comment_on === id);
