// The sealing keys of a world. A rotation adds a key with a deploy; from then on the sweeper seals again what the old key has
// sealed, at any instant, and most likely while a network renews a credential.
import { createSeal, type Seal } from "../../src/adapters/seal.ts";
import { type RotationPlace, rotateSeals } from "../../src/maintenance/rotate-seals.ts";
import { SEALED_KINDS } from "../../src/store/sealed.ts";
import type { Point } from "./scheduler.ts";
import type { World } from "./world.ts";

const OLD_KEY = ["sim", new Uint8Array(32).fill(7)] as const;
const NEW_KEY = ["new", new Uint8Array(32).fill(9)] as const;
/** A deploy ends what ran before it within this time. */
const DEPLOY_MS = 30_000;
/** The sweeper has walked through everything within this time. */
const WALK_MS = 60 * 60_000;
/** A call by which a credential is renewed. */
const RENEWAL = /oauth|token|refresh/i;

export class Sealing {
  readonly #world: World;
  #keys = new Map<string, Uint8Array<ArrayBuffer>>([OLD_KEY]);
  #seal: Seal = createSeal(this.#keys, "sim");

  constructor(world: World) {
    this.#world = world;
  }

  /** What processes get that start now. */
  get seal(): Seal {
    return this.#seal;
  }
  get keys(): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
    return this.#keys;
  }

  /** Adds a key, which seals from now on. Processes that run know the old key alone until the deploy has ended them. */
  rotate(): void {
    const { chance, processes } = this.#world;
    this.#use(new Map([OLD_KEY, NEW_KEY]));
    const deployMs = chance.between(0, DEPLOY_MS);
    this.#world.after(deployMs, () => processes.restart());
    this.#world.after(deployMs + chance.between(0, WALK_MS), () => this.reseal());
  }

  /** Takes the old key away: nothing that it sealed can be opened. */
  lose(): void {
    this.#world.inject("keys_lost");
    this.#use(new Map([NEW_KEY]));
  }

  /** The sweeper seals again all that the old key has sealed. */
  reseal(): void {
    this.#world.processes.spawn(
      "sweep",
      null,
      async (ctx) => {
        for (const database of ctx.databases) {
          const places: { seals?: RotationPlace | null } = {};
          for (const _kind of SEALED_KINDS) await rotateSeals(ctx, database, places);
        }
      },
      () => {},
    );
  }

  /** Told of each call before it is carried out. */
  meet({ port, what }: Point): void {
    const isRotating = this.#keys.size > 1;
    if (isRotating && port === "wire" && RENEWAL.test(what) && this.#world.chance.happens(0.5)) this.reseal();
  }

  #use(keys: Map<string, Uint8Array<ArrayBuffer>>): void {
    this.#keys = keys;
    this.#seal = createSeal(keys, "new");
  }
}
