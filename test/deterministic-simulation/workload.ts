// The requests of a world's callers and other events at given instants, and the answers that callers received.
import { readText } from "./attribution.ts";
import type { Months } from "./check-months.ts";
import type { FeedReader } from "./feed-readers.ts";
import type { FILES } from "./networks.ts";
import { type Approver, getOwner, seatApprovers } from "./people.ts";
import type { Chance } from "./prng.ts";
import type { PromiseName } from "./promises.ts";
import {
  type Answer,
  type By,
  findWorkspace,
  getMember,
  type Input,
  type Operation,
  request,
  seenIn,
} from "./requests.ts";
import type { Series } from "./series.ts";
import type { Shape } from "./shapes.ts";
import { connectBody, isKnownKey, put, resolve, type Tenant } from "./tenants.ts";
import { type Channel, type Fields, type Seen, type Takedown, toBody, Wanted } from "./wanted.ts";
import type { World } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export class Workload {
  readonly wanted: Wanted[] = [];
  readonly tenants: Tenant[] = [];
  /** Workspaces whose erasure, and channels whose disconnection, was requested. */
  readonly erased = new Set<string>();
  readonly removed = new Set<string>();
  /** When the disconnection of a channel was acknowledged. */
  readonly surelyRemoved = new Map<string, number>();
  /** When a reconnection was first requested after that. */
  readonly reconnectedAt = new Map<string, number>();
  /** When the bytes of a file were replaced, by object key. */
  readonly swapped = new Map<string, number>();
  /** Rejected edits, with the state of knowledge at that time. */
  readonly refusals: { wanted: Wanted; at: number; why: string }[] = [];
  /** Readers of the event feed. */
  readonly readers: FeedReader[] = [];
  /** Answers that break a promise by themselves. */
  readonly complaints: { promise: PromiseName; what: string }[] = [];
  readonly series: Series[] = [];
  /** Watches a month that turns; null: none does. */
  months: Months | null = null;
  readonly #world: World;
  readonly #chance: Chance;
  readonly #shape: Shape;
  readonly #startsAt: number;
  #open = 0;
  /** The last planned action, in epoch milliseconds. */
  lastAt: number;

  constructor(world: World, shape: Shape) {
    this.#world = world;
    this.#chance = world.chance;
    this.#shape = shape;
    this.#startsAt = world.scheduler.now;
    this.lastAt = this.#startsAt;
    world.findWorkspace = (n) => this.wanted[n]?.workspace ?? null;
    world.findPostId = (n) => this.wanted[n]?.postId ?? null;
  }

  /** Whether all planned actions are done. */
  get isDone(): boolean {
    return this.#open === 0;
  }
  get channels(): Channel[] {
    return this.tenants.flatMap(({ channels }) => channels);
  }
  getTenant(workspace: string): Tenant {
    const tenant = this.tenants.find(({ id }) => id === workspace);
    if (tenant === undefined) throw new Error(`no workspace ${workspace}`);
    return tenant;
  }

  async setUp(): Promise<void> {
    const { tenants, webhooks, golden } = this.#shape;
    for (const [index, platforms] of tenants.entries())
      this.tenants.push(await resolve(this.#world, index, platforms, webhooks));
    if (this.#shape.full) for (const tenant of this.tenants) tenant.approvers = seatApprovers(this.#world, tenant);
    if (golden || this.#shape.calm) return;
    if (this.#chance.happens(0.3)) this.lowerPlan();
    if (!this.#chance.happens(0.3)) return;
    const renewAt = this.#startsAt + this.#chance.between(0, 30 * MINUTE);
    this.#world.database.change("UPDATE channels SET renew_at = ? WHERE renew_at IS NOT NULL", renewAt);
  }

  // The posts -------------------------------------------------------------------------------------------------------

  want(tenant: Tenant, fields: Fields, key: string | null): Wanted {
    const wanted = new Wanted(this.wanted.length, tenant.id, key, fields);
    this.wanted.push(wanted);
    return wanted;
  }

  /** Creates a post at `at`. Repeats the request if it has no answer and a key makes that safe. */
  create(wanted: Wanted, at: number, tries = 0): void {
    this.at(at, () => {
      const noted = wanted.write(wanted.first, this.#world.now());
      const input = { body: toBody(wanted.first), idempotencyKey: wanted.key };
      // At a turn of months, the first of two requests under one key may have seen the old month, which is full.
      const wasKnown = this.months === null || isKnownKey(this.#world, wanted);
      this.#requestBy(this.#getWriter(wanted), "posts.create", input, (answer) => {
        const status = answer.is === "answer" ? answer.status : null;
        const isRepeated = status === 200 && wanted.postId !== null;
        // A repeated request is answered with 200 and writes nothing, so an edit in between remains.
        noted(isRepeated ? 409 : status, this.#world.now());
        if (answer.is === "answer" && answer.status < 300) {
          wanted.postId = String(getMember(answer.body, "id"));
          return;
        }
        if (status === 402 && wasKnown && isKnownKey(this.#world, wanted))
          this.complaints.push({ promise: "key_makes_one_post", what: `a repeat of p${wanted.n} is told 402` });
        // Without a key, a caller cannot know whether to repeat the request.
        const unknown = status === null || status >= 500;
        if (!unknown || wanted.key === null || tries >= 6) return;
        this.create(wanted, this.#world.now() + this.#chance.between(SECOND, 5 * MINUTE), tries + 1);
      });
    });
  }

  cancel(wanted: Wanted): void {
    if (wanted.postId === null) return;
    wanted.cancelledAt.push(this.#world.now());
    this.request(wanted.workspace, "posts.remove", { params: { id: wanted.postId } }, (answer) => {
      if (answer.is === "answer" && answer.status < 300) wanted.cancelled(this.#world.now());
      if (answer.is === "answer" && answer.status === 404)
        this.refusals.push({ wanted, at: this.#world.now(), why: String(answer.body) });
    });
  }

  edit(wanted: Wanted, fields: Partial<Fields>, answered: (status: number | null) => void = () => {}): void {
    if (wanted.postId === null) return;
    const { publishAt, ...changes } = fields;
    const body = {
      ...changes,
      ...(publishAt === undefined ? {} : { publish_at: publishAt === null ? null : new Date(publishAt).toISOString() }),
    };
    const noted = wanted.write(fields, this.#world.now());
    this.#requestBy(this.#getWriter(wanted), "posts.update", { params: { id: wanted.postId }, body }, (answer) => {
      const status = answer.is === "answer" ? answer.status : null;
      if (answer.is === "answer" && answer.status >= 400 && answer.status < 500)
        this.refusals.push({ wanted, at: this.#world.now(), why: String(answer.body) });
      noted(status, this.#world.now());
      // A draft that is queued again needs another decision.
      if (fields.draft === false && (status === null || status < 300 || status >= 500))
        wanted.askedAgain(this.#world.now());
      answered(status);
    });
  }

  /** Reads a post and approves that revision. A post that is late by then goes out at once. */
  approve(wanted: Wanted, by: Approver | null = null): void {
    const params = { id: wanted.postId };
    if (wanted.postId === null) return;
    const caller = by?.caller ?? this.getTenant(wanted.workspace).key;
    this.#requestBy(caller, "posts.get", { params }, (answer) => {
      if (answer.is !== "answer" || answer.status !== 200) return;
      const content = seenIn(answer.body);
      const rev = getMember(answer.body, "rev");
      this.at(this.#world.now() + this.#chance.between(0, SECOND), () => this.#approve(wanted, by, content, { rev }));
    });
  }
  #approve(wanted: Wanted, by: Approver | null, content: Seen, body: { rev: unknown; publish_at?: null }): void {
    const approval = { seen: content, at: this.#world.now() };
    const mayNot = by !== null && by.endedAt !== null && by.endedAt < approval.at;
    wanted.approvals?.push(approval);
    const noted = body.publish_at === undefined ? () => {} : wanted.write({ publishAt: null }, this.#world.now());
    const caller = by?.caller ?? this.getTenant(wanted.workspace).key;
    this.#requestBy(caller, "posts.approve", { params: { id: wanted.postId }, body }, (answer) => {
      const status = answer.is === "answer" ? answer.status : null;
      noted(status, this.#world.now());
      if (status !== null && status < 300 && mayNot)
        this.complaints.push({ promise: "approval_holds", what: `p${wanted.n} is approved by who may no more` });
      if (status !== null && status < 300 && wanted.declinedAt !== null && wanted.declinedAt < approval.at)
        this.complaints.push({ promise: "approval_holds", what: `p${wanted.n} is approved after it was declined` });
      if (status === null || status < 400 || status >= 500) return;
      wanted.approvals = wanted.approvals?.filter((one) => one !== approval) ?? null;
      const isLate = answer.is === "answer" && String(answer.body).startsWith("publish_at_in_past");
      if (isLate && body.publish_at === undefined) this.#approve(wanted, by, content, { ...body, publish_at: null });
    });
  }
  decline(wanted: Wanted): void {
    const params = { id: wanted.postId };
    if (wanted.postId === null) return;
    const sentAt = this.#world.now();
    this.request(wanted.workspace, "posts.decline", { params, body: { reason: "Not like this." } }, (answer) => {
      if (answer.is === "answer" && answer.status < 300) wanted.declined(sentAt, this.#world.now());
    });
  }

  /** Takes a delivery down, whatever state it is in. */
  takeDown(wanted: Wanted, channel: string): void {
    if (wanted.postId === null) return;
    const asked: Takedown = { channel, at: this.#world.now(), status: null, why: "" };
    const wasDone = wanted.takedowns.some((one) => one.channel === channel && one.status === 200);
    wanted.takedowns.push(asked);
    this.request(wanted.workspace, "posts.take-down", { params: { id: wanted.postId, channel } }, (answer) => {
      if (answer.is !== "answer") return;
      asked.status = answer.status;
      asked.why = String(answer.body);
      const isAway = this.erased.has(wanted.workspace) || this.#world.archive.has(wanted.postId);
      if (wasDone && answer.status >= 400 && answer.status < 500 && !(isAway && answer.status === 404))
        this.complaints.push({ promise: "takedown_was_asked", what: `asked again of p${wanted.n}: ${asked.why}` });
    });
  }

  // Other events ----------------------------------------------------------------------------------------------------

  /** Does something at an instant. The run lasts until it is done. */
  at(at: number, then: () => void): void {
    this.#open++;
    const when = Math.max(at, this.#startsAt);
    this.lastAt = Math.max(this.lastAt, when);
    this.#world.scheduler.at(when, () => {
      then();
      this.#open--;
    });
  }

  request(workspace: string, name: Operation, raw: Input, answered: (answer: Answer) => void, person = false): void {
    const tenant = this.getTenant(workspace);
    this.#requestBy(person ? tenant.person : tenant.key, name, raw, answered);
  }
  #requestBy(by: By, name: Operation, raw: Input, answered: (answer: Answer) => void): void {
    this.#open++;
    const months = findWorkspace(by) === this.months?.workspace ? this.months : null;
    const askedAt = this.#world.now();
    request(this.#world, name, raw, by, (answer) => {
      months?.answered(askedAt, answer);
      answered(answer);
      this.#open--;
    });
  }
  #getWriter({ workspace, byAuthor }: Wanted): By {
    const { key, author } = this.getTenant(workspace);
    return byAuthor ? author : key;
  }
  /** Revokes an approver's right. */
  endApprover(tenant: Tenant, approver: Approver): void {
    const { name, input } = approver.ends;
    this.#requestBy(getOwner(tenant), name, input, (answer) => {
      if (answer.is === "answer" && answer.status < 300) approver.endedAt ??= this.#world.now();
    });
  }

  reconnect(channel: Channel): void {
    if (this.surelyRemoved.has(channel.id) && !this.reconnectedAt.has(channel.id))
      this.reconnectedAt.set(channel.id, this.#world.now());
    const body = connectBody(this.#world, channel);
    this.request(channel.workspace, "channels.connect", { body }, () => {});
  }
  disconnect(channel: Channel): void {
    this.removed.add(channel.id);
    this.request(channel.workspace, "channels.disconnect", { params: { id: channel.id } }, (answer) => {
      if (answer.is === "answer" && answer.status < 300) this.surelyRemoved.set(channel.id, this.#world.now());
    });
  }

  /** Stops the platform, for as long as a delivery may be late or longer. */
  stopEverything(ms = this.#chance.between(HOUR, 26 * HOUR)): void {
    this.#world.inject("outage", { ms });
    this.#world.processes.restart();
    this.#world.outageUntil = Math.max(this.#world.outageUntil, this.#world.now() + ms);
    // Leaves time for another sweep.
    this.at(this.#world.outageUntil + 3 * MINUTE, () => {});
  }

  lowerPlan(): void {
    this.#world.database.change("UPDATE workspaces SET plan = 'free' WHERE id = ?", this.tenants[0]?.id ?? "");
  }

  /** The owners of all accounts delete all posts on the networks. */
  removeAll(): void {
    for (const entry of this.#world.networks.visible()) {
      this.#world.inject("removed_by_owner", { platform: entry.platform, n: readText(entry.text)?.n ?? null });
      this.#world.networks.remove(entry);
    }
  }
  /** Takes down all live deliveries. */
  takeDownAll(): void {
    const rows = this.#world.database.rows("SELECT post_id, channel_id FROM deliveries WHERE state = 'live'");
    for (const { post_id, channel_id } of rows) {
      const wanted = this.wanted.find((one) => one.postId === post_id);
      if (wanted !== undefined) this.takeDown(wanted, String(channel_id));
    }
  }
  /** Replaces the bytes of an uploaded file. */
  swap(tenant: Tenant, id: string, file: (typeof FILES)[number]): void {
    const key = `m/${tenant.id}/${id}`;
    this.swapped.set(key, this.#world.now());
    this.#world.inject("file_changed", { workspace: tenant.id, what: key });
    put(this.#world, key, file, `${id}-2`);
  }
}
