// What happens only in runs in which the month turns: the first workspace has room for a few more posts in the old month, and
// perhaps in the new one, on networks that charge within a budget. Its callers create posts around the turn and change them on
// the other side.
import { PLANS } from "../../src/domain/plan.ts";
import { Months, readMonth } from "./check-months.ts";
import { FILES_OF } from "./networks.ts";
import type { Chance } from "./prng.ts";
import { post } from "./scenarios/scenario.ts";
import type { Tenant } from "./tenants.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** A little more than a post on X costs, in millionths of a US dollar. */
const BUDGET_STEP = 20_000;

/** The turn of the month in these runs. */
export const TURNS_AT = Date.UTC(2026, 11, 1);

export class TurnCallers {
  readonly #world: World;
  readonly #workload: Workload;
  /** A separate generator, so that the callers of rich runs behave as before. */
  readonly #chance: Chance;

  constructor(world: World, workload: Workload, chance: Chance) {
    this.#world = world;
    this.#workload = workload;
    this.#chance = chance;
  }

  begin(): void {
    const chance = this.#chance;
    const [tenant] = this.#workload.tenants;
    // A workspace that moves is counted in two databases for a while.
    if (tenant === undefined || this.#world.databases.length > 1) return;
    const { database } = this.#world;
    const budget = chance.happens(0.7) ? chance.between(1, 6) * BUDGET_STEP : null;
    database.change("UPDATE workspaces SET plan = 'free', budget = ? WHERE id = ?", budget, tenant.id);
    this.#fill(tenant, readMonth(TURNS_AT - 1));
    if (chance.happens(0.6)) this.#fill(tenant, readMonth(TURNS_AT));
    this.#workload.months = new Months(this.#world, tenant.id, budget, (promise, what) =>
      this.#workload.complaints.push({ promise, what }),
    );
    for (let posts = chance.between(4, 12); posts > 0; posts--)
      this.#workload.at(this.#near(), () => this.#ask(tenant));
  }

  /** Leaves room for a few posts in a month. */
  #fill({ id }: Tenant, month: string): void {
    const counted = PLANS.free.posts_per_month - this.#chance.between(0, 5);
    this.#world.database.change(
      `INSERT INTO usage_months (workspace_id, month, posts) VALUES (?, ?, ?)
       ON CONFLICT (workspace_id, month) DO UPDATE SET posts = excluded.posts`,
      id,
      month,
      counted,
    );
    this.#world.countedBefore.set(`${id} ${month}`, counted);
  }

  /** An instant around the turn. */
  #near(): number {
    const withinMs = this.#chance.pick([2 * SECOND, 3 * MINUTE, 40 * MINUTE]);
    return TURNS_AT + this.#chance.between(-withinMs, withinMs);
  }

  #ask(tenant: Tenant): void {
    const chance = this.#chance;
    const channels = tenant.channels.filter(({ id }) => !this.#workload.removed.has(id));
    if (channels.length === 0 || this.#workload.erased.has(tenant.id)) return;
    const channel = chance.pick(channels);
    const { some, min } = FILES_OF[channel.platform] ?? { some: [], min: 0 };
    const afterMs = chance.happens(0.3) ? 0 : chance.between(1, 60) * MINUTE;
    const wanted = post(this.#world, this.#workload, tenant, {
      channels: [channel],
      files: some.slice(0, min),
      afterMs,
    });
    const later = () => Math.max(this.#world.now(), this.#near());
    if (chance.happens(0.3)) this.#workload.create(wanted, later());
    if (chance.happens(0.3)) this.#workload.at(later(), () => this.#workload.cancel(wanted));
    if (!chance.happens(0.3)) return;
    this.#workload.at(later(), () =>
      this.#workload.edit(wanted, { draft: true }, () =>
        this.#workload.at(later(), () => this.#workload.edit(wanted, { draft: false })),
      ),
    );
  }
}
