// The callers of a seeded run. They create posts with and without keys, and change them at the worst moment.
import { readText } from "./attribution.ts";
import { listThreadParts } from "./delivery-rows.ts";
import { FullCallers } from "./full-callers.ts";
import { COMMENTED, FILES, FILES_OF, getRequiredOptions, SHOWN_OPTIONS } from "./networks.ts";
import type { Chance } from "./prng.ts";
import type { Shape } from "./shapes.ts";
import type { Tenant } from "./tenants.ts";
import {
  buildComment,
  buildText,
  type Channel,
  type Fields,
  type Override,
  type Overrides,
  type Wanted,
} from "./wanted.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const CHANGES = ["text", "overrides", "overrides", "channels", "time", "time", "all"] as const;
const THREAD_CHANGES = ["thread", "thread"] as const;

export class Callers {
  readonly #world: World;
  readonly #workload: Workload;
  readonly #chance: Chance;
  readonly #shape: Shape;
  readonly #startsAt: number;
  /** null: the run is not a full one. */
  readonly #full: FullCallers | null;

  constructor(world: World, workload: Workload, shape: Shape) {
    this.#world = world;
    this.#workload = workload;
    this.#chance = world.chance;
    this.#shape = shape;
    this.#startsAt = world.now();
    this.#full = shape.full ? new FullCallers(world, workload, shape) : null;
  }

  begin(): void {
    const chance = this.#chance;
    const [first] = this.#workload.tenants;
    if (first === undefined) return;
    if (this.#shape.golden) {
      this.#workload.create(this.#want(first, first.channels, null, "key-0"), this.#startsAt);
      return;
    }
    this.#full?.begin();
    for (let i = 0; i < this.#shape.posts; i++) this.#plan();
    const dueAt = this.#startsAt + this.#shape.burstAfterMs;
    for (let i = 0; i < this.#shape.burst; i++)
      this.#workload.create(
        this.#want(first, this.#some(first), dueAt, `burst-${i}`),
        this.#startsAt + chance.between(0, SECOND),
      );
    this.#full?.afterwards(this.#shape.calm);
    if (this.#shape.calm) return;
    if (chance.happens(0.15)) this.#soon(() => this.#disconnect());
    if (chance.happens(0.04)) this.#soon(() => this.#erase());
    if (chance.happens(0.3)) for (let i = 0; i < 8; i++) this.#later(60 * MINUTE, () => this.#cancelHanging());
    if (chance.happens(0.03)) this.#soon(() => this.#workload.stopEverything());
    if (chance.happens(0.1)) this.#later(30 * MINUTE, () => this.#workload.lowerPlan());
    if (chance.happens(0.1)) this.#later(60 * MINUTE, () => this.#removeSomething());
    if (chance.happens(0.1)) this.#soon(() => this.#swapFile());
    if (chance.happens(0.1)) this.#later(60 * MINUTE, () => this.#world.sealing.rotate());
    if (chance.happens(0.1)) this.#soon(() => this.#manyEdits());
    if (this.#world.plan.strikes("restart")) this.#later(40 * MINUTE, () => this.#world.processes.restart());
    if (chance.happens(0.2)) this.#soon(() => this.retryFailed());
    if (chance.happens(0.3)) this.#later(2 * HOUR, () => this.retryFailed());
    if (chance.happens(0.2)) this.#later(6 * HOUR, () => this.retryFailed());
  }

  #some({ channels }: Tenant): Channel[] {
    const some = channels.filter(() => this.#chance.happens(0.7));
    return some.length > 0 ? some : channels;
  }

  #plan(): void {
    const chance = this.#chance;
    const tenant = chance.pick(this.#workload.tenants);
    const at = this.#startsAt + (chance.happens(0.5) ? chance.between(0, 2_000) : chance.between(0, 20 * MINUTE));
    const publishAt = chance.happens(0.5) ? null : at + chance.between(10 * SECOND, 90 * MINUTE);
    const key = chance.happens(0.7) ? `key-${this.#workload.wanted.length}` : null;
    const isDraft = !this.#shape.calm && chance.happens(0.15);
    const wanted = this.#want(tenant, this.#some(tenant), publishAt, key, isDraft);
    this.#workload.create(wanted, at);
    this.#full?.decide(wanted, at, () => this.#changeSomething(wanted));
    if (isDraft)
      this.#workload.at(at + chance.between(30 * SECOND, 30 * MINUTE), () =>
        this.#workload.edit(wanted, { draft: false }, (status) => {
          // An edit that failed is repeated, so that no draft stays behind.
          if (status !== 200)
            this.#workload.at(this.#world.now() + 10 * MINUTE, () => this.#workload.edit(wanted, { draft: false }));
        }),
      );
    if (this.#shape.calm) return;
    // The button is pressed twice.
    if (wanted.key !== null && chance.happens(0.1)) this.#workload.create(wanted, at + chance.between(0, 2_000));
    const near = () => this.#near(wanted, at);
    if (chance.happens(0.15)) this.#workload.at(near(), () => this.#workload.cancel(wanted));
    if (chance.happens(0.3)) this.#workload.at(near(), () => this.#changeSomething(wanted));
    if (chance.happens(0.1)) this.#workload.at(near(), () => this.#changeSomething(wanted));
    if (chance.happens(0.05)) this.#workload.at(near(), () => this.#draftAgain(wanted));
  }

  /** A moment close to the time of a post, when most can go wrong. */
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
    this.#workload.at(this.#near(this.#chance.pick(this.#workload.wanted), this.#startsAt), then);
  }

  // The posts -------------------------------------------------------------------------------------------------------

  /** A post for some channels, with the options that its networks require and some of the optional ones. */
  #want(tenant: Tenant, channels: Channel[], publishAt: number | null, key: string | null, draft = false): Wanted {
    const n = this.#workload.wanted.length;
    const plain = this.#shape.golden;
    const overrides: Overrides = {};
    for (const channel of channels) {
      const own = this.#override(tenant, channel, n, 1, plain);
      if (Object.keys(own).length > 0) overrides[channel.id] = own;
    }
    const fields = {
      text: this.#buildText(n, 1),
      media: [],
      channels: channels.map(({ id }) => id),
      overrides,
      thread: this.#full?.buildThread(tenant, n, 1) ?? [],
      publishAt,
      draft,
    };
    const wanted = this.#workload.want(tenant, fields, key);
    this.#full?.seat(wanted);
    return wanted;
  }

  #buildText(n: number, revision: number, to?: string): string {
    return buildText(n, revision, to) + (this.#full?.ending() ?? "");
  }

  #override(tenant: Tenant, channel: Channel, n: number, revision: number, plain: boolean): Override {
    const chance = this.#chance;
    const { platform, handle } = channel;
    const own: Override = { ...getRequiredOptions(platform) };
    const { some, min, max } = FILES_OF[platform] ?? { some: [], min: 0, max: 0 };
    const count = plain ? min : Math.max(min, chance.happens(0.4) ? chance.between(min, max) : 0);
    const files = chance.shuffle(some).slice(0, count);
    if (files.length > 0) own.media = files.map((i) => tenant.files[i] ?? "");
    if (plain) return own;
    if (chance.happens(0.3)) own.text = this.#buildText(n, revision, handle);
    this.#full?.override(own, tenant, platform, n, revision);
    const option = SHOWN_OPTIONS[platform];
    if (option !== undefined && chance.happens(0.5)) own[option.name] = chance.pick(option.values);
    if (COMMENTED.includes(platform) && chance.happens(0.3)) own.first_comment = buildComment(n, revision);
    this.#full?.addTo(own, tenant, channel);
    return own;
  }

  #changeSomething(wanted: Wanted): void {
    const chance = this.#chance;
    const tenant = this.#workload.getTenant(wanted.workspace);
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
    const kind = chance.pick([...CHANGES, ...(this.#full === null ? [] : THREAD_CHANGES)]);
    const thread = this.#full === null ? {} : { thread: this.#full.buildThread(tenant, n, revision) };
    const later = this.#world.now() + chance.between(MINUTE, 40 * MINUTE);
    if (kind === "text") this.#workload.edit(wanted, { text: this.#buildText(n, revision) });
    else if (kind === "thread") this.#workload.edit(wanted, thread);
    else if (kind === "overrides") this.#workload.edit(wanted, others());
    else if (kind === "time") this.#workload.edit(wanted, { publishAt: chance.happens(0.2) ? null : later });
    else if (kind === "all")
      this.#workload.edit(wanted, { text: this.#buildText(n, revision), ...others(), ...thread, publishAt: later });
    else {
      const some = wanted.first.channels.filter(() => chance.happens(0.6));
      const channels = some.length > 0 ? some : wanted.first.channels;
      const overrides = others().overrides ?? {};
      for (const id of Object.keys(overrides)) if (!channels.includes(id)) delete overrides[id];
      this.#workload.edit(wanted, { channels, overrides });
    }
    this.#workload.lastAt = Math.max(this.#workload.lastAt, later);
  }

  #draftAgain(wanted: Wanted): void {
    this.#workload.edit(wanted, { draft: true }, (status) => {
      if (status !== null && status >= 300) return;
      this.#workload.at(this.#world.now() + this.#chance.between(SECOND, 20 * MINUTE), () =>
        this.#workload.edit(wanted, { draft: false }),
      );
    });
  }

  /** Twelve edits at once of a post that is due in an hour. */
  #manyEdits(): void {
    const now = this.#world.now();
    const waiting = this.#workload.wanted.find(({ postId, publishAt, draft }) => {
      const times = publishAt.possible().map(({ value }) => value ?? 0);
      return postId !== null && Math.min(...times) > now + 10 * MINUTE && draft.possible().every(({ value }) => !value);
    });
    if (waiting === undefined) return;
    for (let i = 0; i < 12; i++) this.#workload.edit(waiting, { text: buildText(waiting.n, ++waiting.revisions) });
  }

  // Other events ----------------------------------------------------------------------------------------------------

  #later(withinMs: number, then: () => void): void {
    this.#workload.at(this.#startsAt + this.#chance.between(0, withinMs), then);
  }

  /** Cancels a post whose outcome is being reconciled. */
  #cancelHanging(): void {
    const rows = this.#world.database.rows("SELECT post_id FROM deliveries WHERE state = 'reconciling'");
    const hanging = this.#workload.wanted.find(({ postId }) => rows.some(({ post_id }) => post_id === postId));
    if (hanging !== undefined) this.#workload.cancel(hanging);
  }

  #disconnect(): void {
    const channel = this.#chance.pick(this.#workload.channels);
    this.#workload.disconnect(channel);
    if (!this.#chance.happens(0.5)) return;
    const again = this.#world.now() + this.#chance.between(SECOND, 40 * MINUTE);
    this.#workload.at(again, () => this.#workload.reconnect(channel));
  }

  #erase(): void {
    const { id } = this.#chance.pick(this.#workload.tenants);
    this.#workload.erased.add(id);
    this.#workload.request(id, "accounts.erase", { body: {} }, () => {}, true);
  }

  /** The owner of an account deletes a post on the network, whatever state Crier has it in. */
  #removeSomething(): void {
    const visible = this.#world.networks.visible();
    if (visible.length === 0) return;
    const entry = this.#chance.pick(visible);
    const n = readText(entry.text)?.n ?? null;
    this.#world.inject("removed_by_owner", { platform: entry.platform, n });
    this.#world.networks.remove(entry);
  }

  /** Replaces the bytes of an uploaded file with others of the same length, after the file was checked. */
  #swapFile(): void {
    const tenant = this.#chance.pick(this.#workload.tenants);
    const i = this.#chance.between(0, 2);
    const [file, other] = [FILES[i], FILES[(i + 1) % 3]];
    const id = tenant.files[i];
    if (file === undefined || other === undefined || id === undefined) return;
    this.#workload.swap(tenant, id, { ...file, bytes: other.bytes });
  }
  /** Retries failed deliveries, after a look at the network. */
  retryFailed(): void {
    for (const row of this.#world.database.rows("SELECT * FROM deliveries")) {
      const { workspace_id, post_id, channel_id, platform, state } = row;
      const wanted = this.#workload.wanted.find(({ postId }) => postId === post_id);
      if (wanted === undefined) continue;
      const params = { id: String(post_id), channel: String(channel_id) };
      const ask = (body: object, answered: (status: number | null) => void = () => {}) => {
        this.#workload.request(String(workspace_id), "posts.retry-delivery", { params, body }, (answer) =>
          answered(answer.is === "answer" ? answer.status : null),
        );
      };
      // A retry without that look: a delivery that is not known to have failed must not be sent again.
      if (state !== "failed" && this.#chance.happens(0.3)) {
        ask({});
        continue;
      }
      if (state !== "failed" && state !== "outcome_unknown") continue;
      const next = listThreadParts(this.#world, row).length;
      const isOut = this.#world.networks.ledger.list().some((entry) => {
        const said = readText(entry.text);
        return entry.platform === platform && said?.n === wanted.n && said.part === next;
      });
      // While a call may still take effect, no caller confirms that the post is missing.
      if (state === "outcome_unknown" && (isOut || !this.#world.isIdle)) continue;
      const noted = wanted.retry(params.channel, this.#world.now());
      ask(state === "outcome_unknown" ? { confirm_not_published: true } : {}, noted);
    }
  }
}
