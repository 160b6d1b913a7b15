// Promises about additions. Their state changes only by the table, and they do not affect their post. An addition is made once,
// under an intent, for a post that is live and stays live. The reported outcome matches the network.
import type { LedgerEntry } from "../../simulators/ledger.ts";
import {
  FOLLOW_UP_KINDS,
  FOLLOW_UP_STATES,
  type FollowUpKind,
  type FollowUpState,
  isOpen,
  mayFollowUpBecome,
} from "../../src/domain/delivery/follow-up-moves.ts";
import { readText } from "./attribution.ts";
import { hashOfFile } from "./check-payload.ts";
import { takedownOf } from "./check-rows.ts";
import type { Change, Row } from "./database.ts";
import { readNetworkPost } from "./delivery-rows.ts";
import type { Say } from "./promises.ts";
import type { Process } from "./scheduler.ts";
import type { Channel, Wanted } from "./wanted.ts";
import type { NetworkCall } from "./wire.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** Options that are carried out once a post is live, each with the field of a ledger entry that shows it. */
const SHOWN_IN = { thumbnail_media: "thumbnails", playlist: "playlists" } as const;
const isAddition = (name: string): name is keyof typeof SHOWN_IN => name in SHOWN_IN;

const getState = ({ state }: Row): FollowUpState => {
  const known = FOLLOW_UP_STATES.find((name) => name === state);
  if (known === undefined) throw new Error(`there is no state ${state} of work`);
  return known;
};

const getKind = ({ kind }: Row): FollowUpKind => {
  const known = FOLLOW_UP_KINDS.find((name) => name === kind);
  if (known === undefined) throw new Error(`there is no work ${kind}`);
  return known;
};

/** A call whose intent was written. */
interface Intent {
  process: Process | null;
  at: number;
  n: number | null;
  channel: string;
  name: string;
}

/** Follows the additions of a run. */
export class AdditionChecks {
  readonly #intents: Intent[] = [];
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Judges an inserted or updated row of follow-up work. `changes`: the whole commit. */
  changed(before: Row | null, after: Row, changes: readonly Change[], say: Say): void {
    const about = `${after.kind} of ${after.post_id} ${after.channel_id}`;
    const is = getState(after);
    if (before === null) return;
    const was = getState(before);
    if (was !== is && !mayFollowUpBecome(getKind(after), was, is))
      say("addition_once", `${about} was ${was} and becomes ${is}`);
    const [delivery] = this.#world.database.rows(
      "SELECT state FROM deliveries WHERE workspace_id = ? AND post_id = ? AND channel_id = ?",
      String(after.workspace_id),
      String(after.post_id),
      String(after.channel_id),
    );
    const isOfIt = (row: Row | null) =>
      row !== null && row.post_id === after.post_id && row.channel_id === after.channel_id;
    const moved = changes.find(({ table, before: from, after: to }) => {
      return table === "deliveries" && isOfIt(to) && from !== null && to !== null && from.state !== to.state;
    });
    if (moved !== undefined && moved.after?.state !== "removed")
      say("comment_leaves_post", `${about} becomes ${is} with its post, which becomes ${moved.after?.state}`);
    if (is !== "sending" || was === "sending") return;
    const takedown = takedownOf(this.#world, after)?.state;
    if (delivery?.state !== "live" || takedown === "due")
      say("addition_once", `${about} is begun, its post is ${delivery?.state}, takedown ${takedown}`);
    this.#intents.push({
      process: this.#world.acting,
      at: this.#world.now(),
      n: this.#findPostNumber(after),
      channel: String(after.channel_id),
      name: String(after.kind),
    });
  }

  /** The stored follow-up work of a delivery. */
  #workOf({ workspace_id, post_id, channel_id }: Row, kind: string): Row | undefined {
    const [row] = this.#world.database.rows(
      "SELECT state, detail FROM follow_ups WHERE workspace_id = ? AND post_id = ? AND channel_id = ? AND kind = ?",
      String(workspace_id),
      String(post_id),
      String(channel_id),
      kind,
    );
    return row;
  }

  #findPostNumber({ post_id }: Row): number | null {
    const [post] = this.#world.database.rows("SELECT text FROM posts WHERE id = ?", String(post_id));
    return readText(String(post?.text))?.n ?? null;
  }

  /** Judges a network call when it is made. */
  called(
    call: NetworkCall,
    findTarget: (entry: LedgerEntry) => { wanted: Wanted; channel: Channel } | null,
    say: Say,
  ): void {
    const { addition, platform, process } = call;
    if (addition === null) return;
    const { name, on } = addition;
    const [entry] = this.#world.networks.ledger
      .list({ platform })
      .filter(({ id, token }) => id === on || (platform === "facebook" && token === on));
    const target = entry === undefined ? null : findTarget(entry);
    if (target === null) return;
    const { wanted, channel } = target;
    const about = `${name} of p${wanted.n} on ${platform} ${channel.handle}`;
    const isWritten = this.#intents.some(
      (intent) =>
        intent.process === process && intent.n === wanted.n && intent.channel === channel.id && intent.name === name,
    );
    if (!isWritten) say("addition_once", `${about} is begun, and its process has written no intent`);
    const before = this.#world.wires.calls.find(
      (other) =>
        other !== call &&
        other.platform === platform &&
        other.addition?.name === name &&
        other.addition.on === on &&
        !wasRefused(other),
    );
    if (before !== undefined) say("addition_once", `${about} is made again, and the call before was not refused`);
  }

  /** Judges the reported outcome of a delivery's additions at the end. `entries`: its posts on the network. */
  judge(
    { wanted, channel, row }: { wanted: Wanted; channel: Channel; row: Row },
    entries: LedgerEntry[],
    workload: Workload,
    say: Say,
  ): void {
    const world = this.#world;
    const name = `p${wanted.n} on ${channel.platform} ${channel.handle}`;
    const ownEntries = entries.filter(({ id }) => id === readNetworkPost(row)?.id);
    const shownEntries = ownEntries.length > 0 ? ownEntries : entries;
    const { files } = workload.getTenant(wanted.workspace);
    for (const option of Object.keys(SHOWN_IN).filter(isAddition)) {
      const asked = wanted.option(channel.id, option);
      const about = `${option} of ${name}`;
      for (const entry of entries) {
        const additions = toList(entry, option);
        if (additions.length > 1) say("addition_once", `${about} is there ${additions.length} times`);
        const possible = asked.map((value) =>
          option === "thumbnail_media" && typeof value === "string" ? hashOfFile(files, value) : value,
        );
        if (additions.some((value) => !possible.includes(value)))
          say("additions_are_true", `${about} is ${additions}, wanted was ${JSON.stringify(asked)}`);
      }
      const addition = this.#workOf(row, option);
      if (addition === undefined) {
        const wasAsked = asked.length > 0 && asked.every((value) => value !== undefined);
        if (wasAsked && row.state === "live") say("additions_are_true", `${about} is forgotten`);
        continue;
      }
      const isThere = shownEntries.some((entry) => toList(entry, option).length > 0);
      const state = getState(addition);
      if (state === "done" && !isThere) say("additions_are_true", `${about} is said to be done and is not there`);
      if (state === "failed" && isThere) say("additions_are_true", `${about} is said to have failed and is there`);
      const isConnected = world.database.rows(
        "SELECT 1 FROM channels WHERE id = ? AND credential IS NOT NULL AND removed_at IS NULL",
        channel.id,
      );
      if (isOpen({ state }) && (row.state !== "live" || isConnected.length > 0))
        say("additions_are_true", `${about} is ${state} at the end, and its post is ${row.state}`);
      if (state !== "unknown") continue;
      if (!this.#isExplained(wanted, channel, option))
        say("additions_are_true", `nobody knows of ${about} (${addition.detail}), and no answer was lost`);
      const isLooked = option !== "playlist" || row.state !== "live" || this.#wasLookedFor(wanted, channel);
      if (isThere && !isLooked) say("additions_are_true", `${about} is there, and nobody has looked for it`);
    }
  }

  /** Whether the answer to an announced call was lost, or a fault hit its process before the answer was written. */
  #isExplained({ n }: Wanted, channel: Channel, name: string): boolean {
    const { wires, injected } = this.#world;
    const isLost = wires.calls.some(
      (call) => call.n === n && call.platform === channel.platform && call.addition?.name === name && !isAnswered(call),
    );
    const intents = this.#intents.filter((item) => item.n === n && item.channel === channel.id && item.name === name);
    const wasStruck = intents.some(({ process, at }) =>
      injected.some(
        (fault) =>
          fault.process === process || (["restart", "outage", "poison"].includes(fault.kind) && fault.at >= at),
      ),
    );
    return isLost || wasStruck;
  }

  /** Whether the network was asked about the addition after the call. Other channels of the network may have the same post. */
  #wasLookedFor({ n }: Wanted, { id }: Channel): boolean {
    const calls = this.#world.wires.calls.filter((call) => call.n === n && call.subject?.channel === id);
    const lastAddition = calls.findLastIndex((call) => call.addition?.name === "playlist");
    return calls.some((call, i) => i > lastAddition && call.what.endsWith("GET /youtube/v3/playlistItems"));
  }
}

/** Whether the network said that it did not carry out a call. */
const wasRefused = ({ status, answeredAt }: NetworkCall): boolean =>
  answeredAt !== null && status !== null && status >= 400 && status < 500;
const isAnswered = ({ answeredAt, unclear }: NetworkCall): boolean => answeredAt !== null && !unclear;

/** Pictures by their digest, playlists by their id. */
function toList({ detail }: LedgerEntry, option: keyof typeof SHOWN_IN): unknown[] {
  const list = detail[SHOWN_IN[option]];
  return !Array.isArray(list) ? [] : list.map((item) => (option === "playlist" ? item : item.sha256));
}
