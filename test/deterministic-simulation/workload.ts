// The callers: they create posts with and without keys, try again when they hear nothing, change their minds about anything at
// the worst moment, and remember what they were told.
import { readText } from "./attribution.ts";
import { COMMENTED, FILES, FILES_OF, optionsOf, SHOWN_OPTIONS } from "./networks.ts";
import type { Chance } from "./prng.ts";
import type { Shape } from "./shapes.ts";
import { connectBody, put, settle, type Tenant } from "./tenants.ts";
import { type Channel, commentOf, type Fields, type Override, type Overrides, textOf, Wanted } from "./wanted.ts";
import type { Answer, World } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
type Operation = Parameters<World["request"]>[0];
type Input = Parameters<World["request"]>[1];

export class Workload {
  readonly wanted: Wanted[] = [];
  readonly tenants: Tenant[] = [];
  /** Workspaces that were ever asked to go, and channels. */
  readonly erased = new Set<string>();
  readonly removed = new Set<string>();
  /** Files whose bytes were changed behind our back: when, by object key. */
  readonly swapped = new Map<string, number>();
  /** Refusals of edits, with what was known of the post just then. */
  readonly refusals: { wanted: Wanted; at: number; why: string }[] = [];
  readonly #world: World;
  readonly #chance: Chance;
  readonly #shape: Shape;
  readonly #startsAt: number;
  #open = 0;
  /** Epoch milliseconds of the last thing that anybody plans to do. */
  lastAt: number;

  constructor(world: World, shape: Shape) {
    this.#world = world;
    this.#chance = world.chance;
    this.#shape = shape;
    this.#startsAt = world.scheduler.now;
    this.lastAt = this.#startsAt;
    world.workspaceOf = (n) => this.wanted[n]?.workspace ?? null;
  }

  /** Whether everybody has done what they wanted. */
  get isDone(): boolean {
    return this.#open === 0;
  }
  get channels(): Channel[] {
    return this.tenants.flatMap(({ channels }) => channels);
  }
  tenantOf(workspace: string): Tenant {
    const tenant = this.tenants.find(({ id }) => id === workspace);
    if (tenant === undefined) throw new Error(`no workspace ${workspace}`);
    return tenant;
  }

  async setUp(): Promise<void> {
    const { tenants, webhooks, golden } = this.#shape;
    for (const [index, platforms] of tenants.entries())
      this.tenants.push(await settle(this.#world, index, platforms, webhooks));
    if (golden || this.#shape.calm) return;
    if (this.#chance.happens(0.3)) this.#lowerPlan();
    if (!this.#chance.happens(0.3)) return;
    const renewAt = this.#startsAt + this.#chance.between(0, 30 * MINUTE);
    this.#world.database.change("UPDATE channels SET renew_at = ? WHERE renew_at IS NOT NULL", renewAt);
  }

  // What is done ----------------------------------------------------------------------------------------------------

  begin(): void {
    const chance = this.#chance;
    const [first] = this.tenants;
    if (first === undefined) return;
    if (this.#shape.golden) {
      this.create(this.#want(first, first.channels, null, "key-0"), this.#startsAt);
      return;
    }
    for (let i = 0; i < this.#shape.posts; i++) this.#plan();
    const dueAt = this.#startsAt + this.#shape.burstAfterMs;
    for (let i = 0; i < this.#shape.burst; i++)
      this.create(
        this.#want(first, this.#some(first), dueAt, `burst-${i}`),
        this.#startsAt + chance.between(0, SECOND),
      );
    if (this.#shape.calm) return;
    if (chance.happens(0.15)) this.#soon(() => this.#disconnect());
    if (chance.happens(0.04)) this.#soon(() => this.#erase());
    if (chance.happens(0.3)) for (let i = 0; i < 8; i++) this.#later(60 * MINUTE, () => this.#cancelHanging());
    if (chance.happens(0.03)) this.#soon(() => this.stopEverything());
    if (chance.happens(0.1)) this.#later(30 * MINUTE, () => this.#lowerPlan());
    if (chance.happens(0.1)) this.#later(60 * MINUTE, () => this.#removeSomething());
    if (chance.happens(0.1)) this.#soon(() => this.#swapFile());
    if (chance.happens(0.1)) this.#later(60 * MINUTE, () => this.#world.rotateKeys());
    if (chance.happens(0.1)) this.#soon(() => this.#manyEdits());
    if (this.#world.plan.strikes("restart")) this.#later(40 * MINUTE, () => this.#world.restart());
    if (chance.happens(0.2)) this.#soon(() => this.#retryFailed());
    if (chance.happens(0.3)) this.#later(2 * HOUR, () => this.#retryFailed());
    if (chance.happens(0.2)) this.#later(6 * HOUR, () => this.#retryFailed());
  }

  #some({ channels }: Tenant): Channel[] {
    const some = channels.filter(() => this.#chance.happens(0.7));
    return some.length > 0 ? some : channels;
  }

  #plan(): void {
    const chance = this.#chance;
    const tenant = chance.pick(this.tenants);
    const at = this.#startsAt + (chance.happens(0.5) ? chance.between(0, 2_000) : chance.between(0, 20 * MINUTE));
    const publishAt = chance.happens(0.5) ? null : at + chance.between(10 * SECOND, 90 * MINUTE);
    const key = chance.happens(0.7) ? `key-${this.wanted.length}` : null;
    const isDraft = !this.#shape.calm && chance.happens(0.15);
    const wanted = this.#want(tenant, this.#some(tenant), publishAt, key, isDraft);
    this.create(wanted, at);
    if (isDraft)
      this.#at(at + chance.between(30 * SECOND, 30 * MINUTE), () =>
        this.edit(wanted, { draft: false }, (status) => {
          // Nobody leaves it in the drawer.
          if (status !== 200) this.#at(this.#world.now() + 10 * MINUTE, () => this.edit(wanted, { draft: false }));
        }),
      );
    if (this.#shape.calm) return;
    // A person who presses twice.
    if (wanted.key !== null && chance.happens(0.1)) this.create(wanted, at + chance.between(0, 2_000));
    const near = () => this.#near(wanted, at);
    if (chance.happens(0.15)) this.#at(near(), () => this.cancel(wanted));
    if (chance.happens(0.3)) this.#at(near(), () => this.#changeSomething(wanted));
    if (chance.happens(0.1)) this.#at(near(), () => this.#changeSomething(wanted));
    if (chance.happens(0.05)) this.#at(near(), () => this.#draftAgain(wanted));
  }

  /** Around the instant at which a post goes out: there is most to break. */
  #near({ first: { publishAt } }: Wanted, at: number): number {
    const dueAt = Math.max(at, publishAt ?? at);
    const [before, after] = this.#chance.pick([
      [0, 3 * SECOND],
      [0, 3 * SECOND],
      [30 * SECOND, 3 * MINUTE],
      [0, 30 * MINUTE],
    ] as const);
    return dueAt + this.#chance.between(-before, after);
  }
  #soon(then: () => void): void {
    this.#at(this.#near(this.#chance.pick(this.wanted), this.#startsAt), then);
  }

  // The posts -------------------------------------------------------------------------------------------------------

  /** A post for some channels, with what its networks cannot do without and some of what they can. */
  #want(tenant: Tenant, channels: Channel[], publishAt: number | null, key: string | null, draft = false): Wanted {
    const n = this.wanted.length;
    const plain = this.#shape.golden;
    const overrides: Overrides = {};
    for (const channel of channels) {
      const own = this.#override(tenant, channel, n, 1, plain);
      if (Object.keys(own).length > 0) overrides[channel.id] = own;
    }
    const fields = {
      text: textOf(n, 1),
      media: [],
      channels: channels.map(({ id }) => id),
      overrides,
      publishAt,
      draft,
    };
    return this.want(tenant, fields, key);
  }

  want(tenant: Tenant, fields: Fields, key: string | null): Wanted {
    const wanted = new Wanted(this.wanted.length, tenant.id, key, fields);
    this.wanted.push(wanted);
    return wanted;
  }

  #override(tenant: Tenant, { platform, handle }: Channel, n: number, revision: number, plain: boolean): Override {
    const chance = this.#chance;
    const own: Override = { ...optionsOf(platform) };
    const { some, min, max } = FILES_OF[platform] ?? { some: [], min: 0, max: 0 };
    const count = plain ? min : Math.max(min, chance.happens(0.4) ? chance.between(min, max) : 0);
    const files = shuffled(some, chance).slice(0, count);
    if (files.length > 0) own.media = files.map((i) => tenant.files[i] ?? "");
    if (plain) return own;
    if (chance.happens(0.3)) own.text = textOf(n, revision, handle);
    const option = SHOWN_OPTIONS[platform];
    if (option !== undefined && chance.happens(0.5)) own[option.name] = chance.pick(option.values);
    if (COMMENTED.includes(platform) && chance.happens(0.3)) own.first_comment = commentOf(n, revision);
    return own;
  }

  /** Asks for a post at `at`; without an answer again, where a key makes that safe. */
  create(wanted: Wanted, at: number, tries = 0): void {
    this.#at(at, () => {
      const { text, media, channels, overrides, publishAt, draft } = wanted.first;
      const body = {
        text,
        media,
        channels,
        overrides,
        ...(draft ? { draft } : {}),
        ...(publishAt === null ? {} : { publish_at: new Date(publishAt).toISOString() }),
      };
      const noted = wanted.write(wanted.first, this.#world.now());
      this.#request(wanted.workspace, "posts.create", { body, idempotencyKey: wanted.key }, (answer) => {
        const status = answer.is === "answer" ? answer.status : null;
        const isRepeated = status !== null && status < 300 && wanted.postId !== null;
        // What is answered a second time writes nothing: an edit in between stands.
        noted(isRepeated ? 409 : status, this.#world.now());
        if (answer.is === "answer" && answer.status < 300) {
          wanted.postId = String(memberOf(answer.body, "id"));
          return;
        }
        // Without a key nobody can know whether to try again.
        const unknown = status === null || status >= 500;
        if (!unknown || wanted.key === null || tries >= 6) return;
        this.create(wanted, this.#world.now() + this.#chance.between(SECOND, 5 * MINUTE), tries + 1);
      });
    });
  }

  cancel(wanted: Wanted): void {
    if (wanted.postId === null) return;
    wanted.cancelledAt.push(this.#world.now());
    this.#request(wanted.workspace, "posts.remove", { params: { id: wanted.postId } }, (answer) => {
      if (answer.is === "answer" && answer.status < 300) wanted.cancelled(this.#world.now());
      if (answer.is === "answer" && answer.status === 404)
        this.refusals.push({ wanted, at: this.#world.now(), why: String(answer.body) });
    });
  }

  edit(wanted: Wanted, fields: Partial<Fields>, heard: (status: number | null) => void = () => {}): void {
    if (wanted.postId === null) return;
    const { publishAt, ...others } = fields;
    const body = {
      ...others,
      ...(publishAt === undefined ? {} : { publish_at: publishAt === null ? null : new Date(publishAt).toISOString() }),
    };
    const noted = wanted.write(fields, this.#world.now());
    this.#request(wanted.workspace, "posts.update", { params: { id: wanted.postId }, body }, (answer) => {
      const status = answer.is === "answer" ? answer.status : null;
      if (answer.is === "answer" && answer.status >= 400 && answer.status < 500)
        this.refusals.push({ wanted, at: this.#world.now(), why: String(answer.body) });
      noted(status, this.#world.now());
      heard(status);
    });
  }

  #changeSomething(wanted: Wanted): void {
    const chance = this.#chance;
    const tenant = this.tenantOf(wanted.workspace);
    const revision = ++wanted.revisions;
    const { n } = wanted;
    const others: () => Partial<Fields> = () => ({
      overrides: Object.fromEntries(
        tenant.channels.flatMap((channel) => {
          if (!wanted.first.channels.includes(channel.id)) return [];
          return [[channel.id, this.#override(tenant, channel, n, revision, false)]];
        }),
      ),
    });
    const kind = chance.pick(["text", "overrides", "overrides", "channels", "time", "time", "all"] as const);
    const later = this.#world.now() + chance.between(MINUTE, 40 * MINUTE);
    if (kind === "text") this.edit(wanted, { text: textOf(n, revision) });
    else if (kind === "overrides") this.edit(wanted, others());
    else if (kind === "time") this.edit(wanted, { publishAt: chance.happens(0.2) ? null : later });
    else if (kind === "all") this.edit(wanted, { text: textOf(n, revision), ...others(), publishAt: later });
    else {
      const some = wanted.first.channels.filter(() => chance.happens(0.6));
      const channels = some.length > 0 ? some : wanted.first.channels;
      const overrides = others().overrides ?? {};
      for (const id of Object.keys(overrides)) if (!channels.includes(id)) delete overrides[id];
      this.edit(wanted, { channels, overrides });
    }
    this.lastAt = Math.max(this.lastAt, later);
  }

  #draftAgain(wanted: Wanted): void {
    this.edit(wanted, { draft: true }, (status) => {
      if (status !== null && status >= 300) return;
      this.#at(this.#world.now() + this.#chance.between(SECOND, 20 * MINUTE), () =>
        this.edit(wanted, { draft: false }),
      );
    });
  }

  /** A dozen people edit what is due in an hour, all at once. */
  #manyEdits(): void {
    const now = this.#world.now();
    const waiting = this.wanted.find(({ postId, publishAt, draft }) => {
      const times = publishAt.possible().map(({ value }) => value ?? 0);
      return postId !== null && Math.min(...times) > now + 10 * MINUTE && draft.possible().every(({ value }) => !value);
    });
    if (waiting === undefined) return;
    for (let i = 0; i < 12; i++) this.edit(waiting, { text: textOf(waiting.n, ++waiting.revisions) });
  }

  // What else happens -----------------------------------------------------------------------------------------------

  at(at: number, then: () => void): void {
    this.#at(at, then);
  }
  #at(at: number, then: () => void): void {
    this.#open++;
    const when = Math.max(at, this.#startsAt);
    this.lastAt = Math.max(this.lastAt, when);
    this.#world.scheduler.at(when, () => {
      then();
      this.#open--;
    });
  }
  #later(withinMs: number, then: () => void): void {
    this.#at(this.#startsAt + this.#chance.between(0, withinMs), then);
  }

  #request(workspace: string, name: Operation, raw: Input, heard: (answer: Answer) => void, person = false): void {
    const tenant = this.tenantOf(workspace);
    this.#open++;
    this.#world.request(name, raw, person ? tenant.person : tenant.key, (answer) => {
      heard(answer);
      this.#open--;
    });
  }

  /** Somebody sees that a post hangs, and cancels it. */
  #cancelHanging(): void {
    const rows = this.#world.database.rows("SELECT post_id FROM deliveries WHERE state = 'verifying'");
    const hanging = this.wanted.find(({ postId }) => rows.some(({ post_id }) => post_id === postId));
    if (hanging !== undefined) this.cancel(hanging);
  }

  disconnect(channel: Channel): void {
    this.removed.add(channel.id);
    this.#request(channel.workspace, "channels.disconnect", { params: { id: channel.id } }, () => {});
  }
  #disconnect(): void {
    const channel = this.#chance.pick(this.channels);
    this.disconnect(channel);
    if (!this.#chance.happens(0.5)) return;
    this.#at(this.#world.now() + this.#chance.between(SECOND, 40 * MINUTE), () =>
      this.#request(channel.workspace, "channels.connect", { body: connectBody(this.#world, channel) }, () => {}),
    );
  }

  #erase(): void {
    const { id } = this.#chance.pick(this.tenants);
    this.erased.add(id);
    this.#request(id, "accounts.erase", {}, () => {}, true);
  }

  /** The platform is down, for as long as a delivery may be late or longer. */
  stopEverything(ms = this.#chance.between(HOUR, 26 * HOUR)): void {
    this.#world.inject("outage", { ms });
    this.#world.restart();
    this.#world.outageUntil = this.#world.now() + ms;
    this.lastAt = Math.max(this.lastAt, this.#world.outageUntil);
  }

  #lowerPlan(): void {
    this.#world.database.change("UPDATE workspaces SET plan = 'free' WHERE id = ?", this.tenants[0]?.id ?? "");
  }

  /** The owner of an account takes a post off the network, whatever we think of it just then. */
  #removeSomething(): void {
    const visible = this.#world.networks.visible();
    if (visible.length === 0) return;
    const entry = this.#chance.pick(visible);
    const n = readText(entry.text)?.n ?? null;
    this.#world.inject("removed_by_owner", { platform: entry.platform, n });
    this.#world.networks.remove(entry);
  }

  removeAll(): void {
    for (const entry of this.#world.networks.visible()) {
      this.#world.inject("removed_by_owner", { platform: entry.platform, n: readText(entry.text)?.n ?? null });
      this.#world.networks.remove(entry);
    }
  }

  /** Somebody has everything taken down that is live. */
  takeDownAll(): void {
    const rows = this.#world.database.rows(
      "SELECT workspace_id, post_id, channel_id FROM deliveries WHERE state = 'live'",
    );
    for (const { workspace_id, post_id, channel_id } of rows) {
      const params = { id: String(post_id), channel: String(channel_id) };
      this.#request(String(workspace_id), "posts.take-down", { params }, () => {});
    }
  }

  /** Other bytes are put where an uploaded file is: as many of them, after it was looked at. */
  #swapFile(): void {
    const tenant = this.#chance.pick(this.tenants);
    const i = this.#chance.between(0, 2);
    const [file, other] = [FILES[i], FILES[(i + 1) % 3]];
    const id = tenant.files[i];
    if (file === undefined || other === undefined || id === undefined) return;
    this.swap(tenant, id, { ...file, bytes: other.bytes });
  }
  swap(tenant: Tenant, id: string, file: (typeof FILES)[number]): void {
    const key = `m/${tenant.id}/${id}`;
    this.swapped.set(key, this.#world.now());
    this.#world.inject("file_changed", { workspace: tenant.id, what: key });
    put(this.#world, key, file, `${id}-2`);
  }

  /** Somebody looks at what failed, and on the network, and has it sent once more. */
  #retryFailed(): void {
    const rows = this.#world.database.rows("SELECT workspace_id, post_id, channel_id, platform, state FROM deliveries");
    for (const { workspace_id, post_id, channel_id, platform, state } of rows) {
      const wanted = this.wanted.find(({ postId }) => postId === post_id);
      if (wanted === undefined) continue;
      const params = { id: String(post_id), channel: String(channel_id) };
      const ask = (body: object) => {
        this.#request(String(workspace_id), "posts.retry-delivery", { params, body }, () => {});
      };
      // Somebody who looks at nothing: what is not known to have failed must not be sent again for them.
      if (state !== "failed" && this.#chance.happens(0.3)) {
        ask({});
        continue;
      }
      if (state !== "failed" && state !== "outcome_unknown") continue;
      const isOut = this.#world.networks.ledger
        .list()
        .some((entry) => entry.platform === platform && readText(entry.text)?.n === wanted.n);
      // Whoever cannot know yet does not say that it is not there.
      if (state === "outcome_unknown" && (isOut || !this.#world.isIdle)) continue;
      wanted.retriedAt.push(this.#world.now());
      ask(state === "outcome_unknown" ? { confirm_not_published: true } : {});
    }
  }
}

function shuffled<Item>(items: readonly Item[], chance: Chance): Item[] {
  const left = [...items];
  const order: Item[] = [];
  while (left.length > 0) order.push(...left.splice(chance.between(0, left.length - 1), 1));
  return order;
}

function memberOf(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null ? new Map(Object.entries(body)).get(name) : undefined;
}
