// Compares two ledgers: the service's answers to its callers, and the posts that the networks accepted. Neither is kept by the worker.
import type { LedgerEntry } from "../../../simulators/ledger.ts";
import { POSTS_PER_DAY } from "../../../simulators/tiktok/post-rules.ts";

/** The final answer to a caller about a delivery. */
export interface ReportedDelivery {
  channel: string;
  platform: string;
  account: string;
  status: string;
  error: string | null;
}
/** A post that was acknowledged with a 201 (or with the 200 of a repeat), as its caller knows it. */
export interface PromisedPost {
  id: string;
  text: string;
  /** The SHA-256 of each of its files, in order. */
  files: string[];
  /** Epoch milliseconds before which it may not be live. */
  notBefore: number;
  /** null: it cannot be read any more. */
  deliveries: ReportedDelivery[] | null;
}
export interface ReportedEvent {
  event: string;
  post: string | null;
  channel: string;
}
export interface Evidence {
  promised: PromisedPost[];
  events: ReportedEvent[];
  ledger: LedgerEntry[];
  /** Converts an instant of the networks' clock to the machine's clock, which outages have moved. */
  toMachineTime(atMs: number): number;
  /** How often the outcome of a send could not be known because of a lost answer or a kill, by `platform account`. */
  unanswered: Map<string, number>;
}

export interface Verdict {
  posts: number;
  deliveries: number;
  live: number;
  cancelled: number;
  unconfirmedExplained: number;
  /** Failures because the account was full: outages age the machine's state, but not the network's last 24 hours. */
  overCap: number;
  violations: Record<(typeof VIOLATIONS)[number], string[]>;
}

/** How many posts of an account a network accepts in 24 hours. */
const CAPS: Record<string, number> = { tiktok: POSTS_PER_DAY };

const VIOLATIONS = [
  "lost",
  "stuck",
  "duplicated",
  "falseLive",
  "falseFailed",
  "falseCancelled",
  "unconfirmedUnexplained",
  "failedWithoutReason",
  "altered",
  "early",
  "unasked",
  "eventsWrong",
] as const;

export const getAccountKey = ({ platform, account }: { platform: string; account: string }) => `${platform} ${account}`;

/** Compares the ledgers. Each violation is a line that names its post. */
export function judge({ promised, events, ledger, toMachineTime, unanswered }: Evidence): Verdict {
  const verdict: Verdict = {
    posts: promised.length,
    deliveries: 0,
    live: 0,
    cancelled: 0,
    unconfirmedExplained: 0,
    overCap: 0,
    violations: {
      lost: [],
      stuck: [],
      duplicated: [],
      falseLive: [],
      falseFailed: [],
      falseCancelled: [],
      unconfirmedUnexplained: [],
      failedWithoutReason: [],
      altered: [],
      early: [],
      unasked: [],
      eventsWrong: [],
    },
  };
  const { violations } = verdict;
  const getPostKey = (entry: { platform: string; account: string; text: string }) =>
    `${getAccountKey(entry)} ${entry.text}`;
  const accepted = Map.groupBy(ledger, getPostKey);
  const byAccount = Map.groupBy(ledger, getAccountKey);
  const isFull = (delivery: ReportedDelivery) =>
    (byAccount.get(getAccountKey(delivery)) ?? []).length >= (CAPS[delivery.platform] ?? Infinity);
  const eventsByDelivery = Map.groupBy(
    events.filter(({ event }) => event !== "delivery.retrying"),
    ({ post, channel }) => `${post} ${channel}`,
  );
  const unansweredLeft = new Map(unanswered);

  for (const post of promised) {
    if (post.deliveries === null) {
      violations.lost.push(post.id);
      continue;
    }
    for (const delivery of post.deliveries) {
      verdict.deliveries++;
      const name = `${post.id} on ${getAccountKey(delivery)}`;
      const key = getPostKey({ ...delivery, text: post.text });
      const entries = accepted.get(key) ?? [];
      accepted.delete(key);
      if (entries.length > 1) violations.duplicated.push(`${name}: ${entries.length} times`);
      for (const { at_ms, media } of entries) {
        if (toMachineTime(at_ms) < post.notBefore)
          violations.early.push(`${name}: ${post.notBefore - toMachineTime(at_ms)} ms`);
        const files = media.map(({ sha256 }) => sha256);
        if (files.join() !== post.files.join()) violations.altered.push(`${name}: other files`);
      }
      const out = entries.length > 0;
      const ends = (eventsByDelivery.get(`${post.id} ${delivery.channel}`) ?? []).map(({ event }) => event);
      let expected: string[] = [];
      switch (delivery.status) {
        case "live":
          verdict.live++;
          if (!out) violations.falseLive.push(name);
          expected = ["delivery.succeeded"];
          break;
        case "cancelled":
          verdict.cancelled++;
          if (out) violations.falseCancelled.push(name);
          break;
        case "failed": {
          expected = ["delivery.failed"];
          if (delivery.error === "network_quota" && !out && isFull(delivery)) {
            verdict.overCap++;
            break;
          }
          if (delivery.error !== "outcome_unknown") {
            violations[out ? "falseFailed" : "failedWithoutReason"].push(`${name}: ${delivery.error}`);
            break;
          }
          const remaining = unansweredLeft.get(getAccountKey(delivery)) ?? 0;
          unansweredLeft.set(getAccountKey(delivery), remaining - 1);
          if (remaining > 0) verdict.unconfirmedExplained++;
          else violations.unconfirmedUnexplained.push(name);
          break;
        }
        default:
          violations[out ? "stuck" : "lost"].push(`${name}: ${delivery.status}`);
      }
      if (ends.join() !== expected.join()) violations.eventsWrong.push(`${name}: ${ends.join(", ") || "none"}`);
    }
  }
  for (const [key, entries] of accepted) violations.unasked.push(`${key}: ${entries.length} times`);
  return verdict;
}

export const listViolations = ({ violations }: Verdict): string[] =>
  VIOLATIONS.flatMap((kind) => violations[kind].map((line) => `${kind}: ${line}`));
