// What callers ask of a world, and what else happens in it, each thing at its instant; and all that they were told.
import { readText } from "./attribution.ts";
import type { FILES } from "./networks.ts";
import type { Chance } from "./prng.ts";
import { type Answer, type Input, type Operation, request } from "./requests.ts";
import type { Shape } from "./shapes.ts";
import { put, settle, type Tenant } from "./tenants.ts";
import { type Channel, type Fields, Wanted } from "./wanted.ts";
import type { World } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

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

  /** Asks for a post at `at`; without an answer again, where a key makes that safe. */
  create(wanted: Wanted, at: number, tries = 0): void {
    this.at(at, () => {
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
      this.request(wanted.workspace, "posts.create", { body, idempotencyKey: wanted.key }, (answer) => {
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
    this.request(wanted.workspace, "posts.remove", { params: { id: wanted.postId } }, (answer) => {
      if (answer.is === "answer" && answer.status < 300) wanted.cancelled(this.#world.now());
      if (answer.is === "answer" && answer.status === 404)
        this.refusals.push({ wanted, at: this.#world.now(), why: String(answer.body) });
    });
  }

  edit(wanted: Wanted, fields: Partial<Fields>, answered: (status: number | null) => void = () => {}): void {
    if (wanted.postId === null) return;
    const { publishAt, ...others } = fields;
    const body = {
      ...others,
      ...(publishAt === undefined ? {} : { publish_at: publishAt === null ? null : new Date(publishAt).toISOString() }),
    };
    const noted = wanted.write(fields, this.#world.now());
    this.request(wanted.workspace, "posts.update", { params: { id: wanted.postId }, body }, (answer) => {
      const status = answer.is === "answer" ? answer.status : null;
      if (answer.is === "answer" && answer.status >= 400 && answer.status < 500)
        this.refusals.push({ wanted, at: this.#world.now(), why: String(answer.body) });
      noted(status, this.#world.now());
      answered(status);
    });
  }

  /** Looks at a post, and approves what was seen. */
  approve(wanted: Wanted): void {
    const params = { id: wanted.postId };
    if (wanted.postId === null) return;
    this.request(wanted.workspace, "posts.get", { params }, (answer) => {
      if (answer.is !== "answer" || answer.status !== 200) return;
      const text = String(memberOf(answer.body, "text"));
      const rev = memberOf(answer.body, "rev");
      this.at(this.#world.now() + this.#chance.between(0, SECOND), () => {
        const asked = { text, at: this.#world.now() };
        wanted.approvals?.push(asked);
        this.request(wanted.workspace, "posts.approve", { params, body: { rev } }, (approved) => {
          const isRefused = approved.is === "answer" && approved.status >= 400 && approved.status < 500;
          if (isRefused) wanted.approvals = wanted.approvals?.filter((one) => one !== asked) ?? null;
        });
      });
    });
  }

  // What else happens -----------------------------------------------------------------------------------------------

  /** Does something at an instant; the run goes on until it is done. */
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
    const tenant = this.tenantOf(workspace);
    this.#open++;
    request(this.#world, name, raw, person ? tenant.person : tenant.key, (answer) => {
      answered(answer);
      this.#open--;
    });
  }

  disconnect(channel: Channel): void {
    this.removed.add(channel.id);
    this.request(channel.workspace, "channels.disconnect", { params: { id: channel.id } }, () => {});
  }

  /** The platform is down, for as long as a delivery may be late or longer. */
  stopEverything(ms = this.#chance.between(HOUR, 26 * HOUR)): void {
    this.#world.inject("outage", { ms });
    this.#world.processes.restart();
    this.#world.outageUntil = this.#world.now() + ms;
    this.lastAt = Math.max(this.lastAt, this.#world.outageUntil);
  }

  lowerPlan(): void {
    this.#world.database.change("UPDATE workspaces SET plan = 'free' WHERE id = ?", this.tenants[0]?.id ?? "");
  }

  /** The owners of all accounts take everything off the networks. */
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
      this.request(String(workspace_id), "posts.take-down", { params }, () => {});
    }
  }

  /** Other bytes are put where an uploaded file is. */
  swap(tenant: Tenant, id: string, file: (typeof FILES)[number]): void {
    const key = `m/${tenant.id}/${id}`;
    this.swapped.set(key, this.#world.now());
    this.#world.inject("file_changed", { workspace: tenant.id, what: key });
    put(this.#world, key, file, `${id}-2`);
  }
}

function memberOf(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null ? new Map(Object.entries(body)).get(name) : undefined;
}
