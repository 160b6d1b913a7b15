// What callers do only in full runs: they write threads, approve posts, take posts down, and wait until networks have been
// rechecked.
import { findNetwork } from "../../src/networks/index.ts";
import { DRAFT, listPlaylists, THREADED } from "./networks.ts";
import type { Chance } from "./prng.ts";
import type { Shape } from "./shapes.ts";
import type { Tenant } from "./tenants.ts";
import { buildThreadPartText, type Channel, type Override, type Part, type Wanted } from "./wanted.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Endings of texts that a network may show in another form. */
const ENDINGS = ["", "", "", ' & <more> "of it"', " caf\u00e9 cafe\u0301", " \n\nand a line"];

export class FullCallers {
  readonly #world: World;
  readonly #workload: Workload;
  readonly #chance: Chance;
  readonly #additions: Chance;
  readonly #drafts: Chance | null;
  readonly #ownTimes: Chance | null;
  readonly #startsAt: number;
  readonly #hasThreads: boolean;
  /** The workspace in which posts need approval, and whose posts do. */
  #approving: { tenant: Tenant; setting: "all" | "authors" } | null = null;

  constructor(world: World, workload: Workload, { additions, drafts, ownTimes }: Shape) {
    this.#world = world;
    this.#workload = workload;
    this.#chance = world.chance;
    this.#additions = additions;
    this.#drafts = drafts;
    this.#ownTimes = ownTimes;
    this.#startsAt = world.now();
    this.#hasThreads = world.chance.happens(0.7);
  }

  begin(): void {
    const chance = this.#chance;
    this.#world.altered.isOn = chance.happens(0.5);
    const [tenant] = this.#workload.tenants;
    if (tenant === undefined || !chance.happens(0.35)) return;
    const setting = chance.pick(["all", "authors"] as const);
    this.#world.database.change("UPDATE workspaces SET approval = ? WHERE id = ?", setting, tenant.id);
    this.#approving = { tenant, setting };
  }

  afterwards(calm: boolean): void {
    const chance = this.#chance;
    // The run lasts until live posts have been rechecked.
    if (chance.happens(0.5)) this.#later(100 * MINUTE, () => {});
    if (calm || !chance.happens(0.5)) return;
    for (let i = chance.between(1, 5); i > 0; i--)
      this.#later(chance.pick([10 * MINUTE, 2 * HOUR]), () => this.#takeSomethingDown());
    if (chance.happens(0.2)) this.#later(2 * HOUR, () => this.#workload.takeDownAll());
  }

  #later(withinMs: number, then: () => void): void {
    this.#workload.at(this.#startsAt + this.#chance.between(0, withinMs), then);
  }

  // Texts and options -----------------------------------------------------------------------------------------------

  ending(): string {
    return this.#chance.pick(ENDINGS);
  }

  /** The further parts of a post, some of them with a picture. */
  buildThread(tenant: Tenant, n: number, revision: number): Part[] {
    const chance = this.#chance;
    if (!this.#hasThreads || chance.happens(0.2)) return [];
    return Array.from({ length: chance.between(1, 3) }, (_, i) => ({
      text: buildThreadPartText(n, revision, i + 1) + this.ending(),
      media: chance.happens(0.2) ? [tenant.files[chance.between(0, 2)] ?? ""] : [],
    }));
  }

  /** Networks without threads get none. Some of the others get a thread of their own. */
  override(own: Override, tenant: Tenant, platform: string, n: number, revision: number): void {
    if (!THREADED.includes(platform)) own.thread = [];
    else if (this.#chance.happens(0.15)) own.thread = this.buildThread(tenant, n, revision);
  }

  /**
   * Options that are carried out once the post is live, apart from its first comment (Facebook has them for videos only), and
   * whether the post is a draft.
   */
  addTo(own: Override, tenant: Tenant, { platform, account }: Channel): void {
    const chance = this.#additions;
    this.#giveOwnTime(own, tenant);
    if (platform === "tiktok" && this.#drafts?.happens(0.5)) beDraft(own);
    const picture = () => tenant.files[chance.between(0, 2)] ?? "";
    if (platform === "facebook" && chance.happens(0.3)) {
      own.media = [tenant.files[3] ?? ""];
      own.thumbnail_media = picture();
    }
    if (platform !== "youtube") return;
    if (chance.happens(0.4)) own.thumbnail_media = picture();
    if (chance.happens(0.5)) own.playlist = chance.pick(listPlaylists(account));
  }

  /** Gives a channel a time of its own, later than all first requests. A late approval would drop one that has passed. */
  #giveOwnTime(own: Override, tenant: Tenant): void {
    if (this.#ownTimes === null || this.#approving?.tenant === tenant || !this.#ownTimes.happens(0.3)) return;
    const from = Math.max(this.#startsAt + 20 * MINUTE, this.#world.now());
    own.publish_at = new Date(from + this.#ownTimes.between(10 * SECOND, HOUR)).toISOString();
  }

  // Approval --------------------------------------------------------------------------------------------------------

  /** Notes whether a new post needs approval. */
  seat(wanted: Wanted): void {
    if (this.#approving?.tenant.id !== wanted.workspace) return;
    wanted.approvals = [];
    wanted.byAuthor = this.#approving.setting === "authors";
  }

  /** A reviewer reads a waiting post and approves it, while others edit, cancel or decline it, or the right to approve ends. */
  decide(wanted: Wanted, at: number, edit: () => void): void {
    const chance = this.#chance;
    const approving = this.#approving;
    if (wanted.approvals === null || approving === null) return;
    const { tenant } = approving;
    const dueAt = wanted.first.publishAt;
    for (let i = chance.between(1, 2); i > 0; i--) {
      const near = dueAt !== null && chance.happens(0.4);
      const then = near ? dueAt + chance.between(-5 * SECOND, 5 * SECOND) : at + chance.between(3 * SECOND, 2 * MINUTE);
      const approver = chance.pick([...tenant.approvers, null]);
      this.#workload.at(then, () => this.#workload.approve(wanted, approver));
      const soon = () => then + chance.between(0, 1_500);
      if (chance.happens(0.6)) this.#workload.at(soon(), edit);
      if (chance.happens(0.1)) this.#workload.at(soon(), () => this.#workload.cancel(wanted));
      if (chance.happens(0.1)) this.#workload.at(soon(), () => this.#workload.decline(wanted));
      if (approver !== null && chance.happens(0.3))
        this.#workload.at(soon() - SECOND, () => this.#workload.endApprover(tenant, approver));
    }
    // Most posts that still wait are approved later, undisturbed.
    if (chance.happens(0.8))
      this.#workload.at(at + chance.between(3, 10) * MINUTE, () => this.#workload.approve(wanted));
  }

  // Taking down -----------------------------------------------------------------------------------------------------

  /** Takes down a post in any state. Some requests are repeated. */
  #takeSomethingDown(): void {
    const chance = this.#chance;
    const wanted = chance.pick(this.#workload.wanted);
    const channels = this.#workload.channels.filter(
      ({ id, platform }) => wanted.first.channels.includes(id) && findNetwork(platform)?.takeDown !== undefined,
    );
    if (channels.length === 0) return;
    const { id } = chance.pick(channels);
    this.#workload.takeDown(wanted, id);
    const now = this.#world.now();
    if (chance.happens(0.3))
      this.#workload.at(now + chance.between(0, 2 * SECOND), () => this.#workload.takeDown(wanted, id));
    if (chance.happens(0.3))
      this.#workload.at(now + chance.between(0, HOUR), () => this.#workload.takeDown(wanted, id));
  }
}

/** TikTok accepts no other settings with a draft. */
function beDraft(own: Override): void {
  delete own.privacy_level;
  Object.assign(own, DRAFT);
}
