// A series of repeating posts, and what callers know about it. Each post of it has a text of its own (`variations`), so every
// post on a network belongs to one of them. The times are computed here once more, from the wall clock of the workspace.
import { readText } from "./attribution.ts";
import type { Change, Row } from "./database.ts";
import type { Say } from "./promises.ts";
import type { Tenant } from "./tenants.ts";
import { buildText, type Fields, type Overrides, type Wanted } from "./wanted.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** How far clocks differ. */
const SKEW_MS = 5_000;

export interface SeriesWish {
  fields: Omit<Fields, "text" | "repeat" | "publishAt" | "draft"> & { publishAt: number };
  /** How many posts there are in all. */
  times: number;
  /** The times of the further posts, which a scenario computes by hand; absent: a day after one another. */
  instants?: number[];
  key: string | null;
}

export class Series {
  readonly #world: World;
  readonly #workload: Workload;
  readonly #first: Wanted;
  readonly #wanted: readonly Wanted[];
  readonly #instants: number[] | null;
  /** When the stop of the series was acknowledged; null: never. */
  #stoppedAt: number | null = null;
  #mayBeStopped = false;

  constructor(world: World, workload: Workload, tenant: Tenant, { fields, times, instants, key }: SeriesWish) {
    this.#world = world;
    this.#workload = workload;
    this.#instants = instants ?? null;
    const n = workload.wanted.length;
    // Its callers have a key that may publish.
    const [asking] = world.database.rows("SELECT 1 FROM workspaces WHERE id = ? AND approval = 'all'", tenant.id);
    const asksForApproval = asking !== undefined;
    const texts = Array.from({ length: times }, (_, i) => buildText(n + i, 1));
    const repeat = { every: "day", times, variations: texts.slice(1) };
    this.#wanted = texts.map((text, i) => {
      const own = { ...fields, text, draft: false, ...(i === 0 ? { repeat } : {}) };
      const wanted = workload.want(tenant, own, i === 0 ? key : null);
      // The first post is written by its request.
      if (i > 0) wanted.write(own, world.now())(201, world.now());
      if (asksForApproval) wanted.approvals = [];
      return wanted;
    });
    const [first] = this.#wanted;
    if (first === undefined) throw new Error("a series has posts");
    this.#first = first;
    workload.series.push(this);
    world.hasSeries = true;
    workload.create(first, world.now());
    // The run lasts until the last post is out.
    workload.at((instants?.at(-1) ?? fields.publishAt + (times - 1) * DAY) + 2 * HOUR, () => {});
  }

  get posts(): readonly Wanted[] {
    return this.#wanted;
  }

  /** Stops the series by any post of it that its caller knows. */
  stop(): void {
    const known = this.#wanted.findLast(({ postId }) => postId !== null);
    if (known === undefined || this.#workload.erased.has(known.workspace)) return;
    this.#mayBeStopped = true;
    this.#workload.request(known.workspace, "posts.stop-repeat", { params: { id: known.postId } }, (answer) => {
      if (answer.is === "answer" && answer.status === 200) this.#stoppedAt ??= this.#world.now();
    });
  }

  /** Called with the changes of `posts` in each commit. */
  committed(changes: readonly Change[]): void {
    for (const { before, after } of changes) {
      const index = after === null ? -1 : this.#indexOf(after);
      if (before === null && after !== null && index > 0) this.#made(after, index);
    }
  }

  #indexOf({ text }: Row): number {
    const n = readText(String(text))?.n;
    return this.#wanted.findIndex((wanted) => wanted.n === n);
  }

  /** A next post was made: its series goes on, and it has the next time of the pattern. */
  #made(row: Row, index: number): void {
    const [wanted, before] = [this.#wanted[index], this.#wanted[index - 1]];
    if (wanted === undefined || before === undefined) return;
    const now = this.#world.now();
    const name = `p${wanted.n}, which follows p${before.n},`;
    const rows = this.#world.database.rows("SELECT id FROM posts WHERE text = ?", String(row.text));
    if (rows.length > 1) this.#say("published_once", `${name} was made ${rows.length} times`);
    if (this.#stoppedAt !== null) this.#say("stop_holds", `${name} was made although the series was stopped`);
    const cancelled = this.#wanted.slice(0, index).find(({ surelyCancelledAt }) => surelyCancelledAt !== null);
    if (cancelled !== undefined) this.#say("stop_holds", `${name} was made although p${cancelled.n} was cancelled`);
    const at = Number(row.publish_at);
    if (at < now - SKEW_MS) this.#say("sent_as_asked", `${name} is planned for a time that has passed`);
    if (!this.#isNext(at, now)) this.#say("sent_as_asked", `${name} is planned for ${new Date(at).toISOString()}`);
    wanted.postId = String(row.id);
    // Channels that were disconnected are left out.
    const named: unknown[] = JSON.parse(String(row.channels));
    const channels = this.#first.first.channels.filter((id) => named.includes(id) || !this.#workload.removed.has(id));
    // A post that could not be queued is a draft.
    const draft = row.status === "draft";
    wanted.write({ publishAt: at, channels, draft, overrides: this.#moved(at, channels) }, now)(200, now);
  }

  /** Whether an instant is the first of the pattern after `now`. */
  #isNext(at: number, now: number): boolean {
    if (this.#instants !== null) return at === this.#instants.find((instant) => instant > now);
    const { publishAt } = this.#first.first;
    const isOnTime = (at - Number(publishAt)) % DAY === 0;
    // Whether a channel's own time has passed decides, too.
    return isOnTime && at - now <= 2 * DAY + SKEW_MS;
  }

  /** The overrides of a post at `at`: the own times of channels keep their distance. */
  #moved(at: number, channels: readonly string[]): Overrides {
    const { overrides, publishAt } = this.#first.first;
    const kept = Object.entries(overrides).filter(([channel]) => channels.includes(channel));
    return Object.fromEntries(
      kept.map(([channel, own]) => {
        if (own.publish_at === undefined) return [channel, own];
        const ownTime = Date.parse(own.publish_at) + at - Number(publishAt);
        return [channel, { ...own, publish_at: new Date(ownTime).toISOString() }];
      }),
    );
  }

  /** At the end: all posts exist, unless somebody ended the series, or its owner was notified why it does not go on. */
  judge(): void {
    const { archive, database } = this.#world;
    const rows = [...database.rows("SELECT * FROM posts"), ...archive.posts].filter((row) => this.#indexOf(row) >= 0);
    if (rows.length === 0 || this.#workload.erased.has(this.#first.workspace)) return;
    const active = rows.filter((row) => row.repeat_state === "active");
    if (active.length > 1)
      this.#say("published_once", `${active.length} posts of the series of p${this.#first.n} go on`);
    const isCancelled = this.#wanted.some(({ cancelledAt }) => cancelledAt.length > 0);
    if (this.#mayBeStopped || isCancelled || rows.length >= this.#wanted.length) return;
    const reports = database.rows("SELECT post_id FROM events WHERE event = 'post.repeat_paused'");
    const isReported = reports.some(({ post_id }) => rows.some(({ id }) => id === post_id));
    // A post that waits for approval, or a draft, has not ended.
    const waits = rows.some(({ status }) => status === "awaiting_approval" || status === "draft");
    if (!isReported && !waits)
      this.#say("all_end", `the series of p${this.#first.n} ends after ${rows.length} of ${this.#wanted.length} posts`);
  }

  readonly #say: Say = (promise, what) => this.#workload.complaints.push({ promise, what });
}
