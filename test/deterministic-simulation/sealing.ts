// The sealing keys of a world. A rotation adds a key with a deploy. From then on, the sweeper seals everything again with the
// new key, at any instant, and most often while a credential is being renewed.
import { createSeal, type Seal } from "../../src/adapters/seal.ts";
import { type RotationCursor, rotateSeals } from "../../src/maintenance/rotate-seals.ts";
import { SEALED_KINDS } from "../../src/store/sealed.ts";
import type { Point } from "./scheduler.ts";
import type { World } from "./world.ts";

const OLD_KEY = ["sim", new Uint8Array(32).fill(7)] as const;
const NEW_KEY = ["new", new Uint8Array(32).fill(9)] as const;
/** A deploy ends older processes within this time. */
const DEPLOY_MS = 30_000;
/** The sweeper has visited everything within this time. */
const WALK_MS = 60 * 60_000;
/** A call that renews a credential. */
const RENEWAL = /oauth|token|refresh/i;

export class Sealing {
  readonly #world: World;
  #keys = new Map<string, Uint8Array<ArrayBuffer>>([OLD_KEY]);
  #seal: Seal = createSeal(this.#keys, "sim");

  constructor(world: World) {
    this.#world = world;
  }

  /** The keys of processes that start now. */
  get seal(): Seal {
    return this.#seal;
  }
  get keys(): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
    return this.#keys;
  }

  /** Adds a key, which seals from now on. Running processes know only the old key until the deploy ends them. */
  rotate(): void {
    const { chance, processes } = this.#world;
    this.#use(new Map([OLD_KEY, NEW_KEY]));
    const deployMs = chance.between(0, DEPLOY_MS);
    this.#world.after(deployMs, () => processes.restart());
    this.#world.after(deployMs + chance.between(0, WALK_MS), () => this.reseal());
  }

  /** Removes the old key. Nothing that it sealed can be unsealed any more. */
  lose(): void {
    this.#world.inject("keys_lost");
    this.#use(new Map([NEW_KEY]));
  }

  /** The sweeper seals everything again that the old key has sealed. */
  reseal(): void {
    this.#world.processes.spawn(
      "sweep",
      null,
      async (ctx) => {
        for (const database of ctx.databases) {
          const cursors: { seals?: RotationCursor | null } = {};
          for (const _kind of SEALED_KINDS) await rotateSeals(ctx, database, cursors);
        }
      },
      () => {},
    );
  }

  /** Called before each call is carried out. */
  meet({ port, what }: Point): void {
    const isRotating = this.#keys.size > 1;
    if (isRotating && port === "wire" && RENEWAL.test(what) && this.#world.chance.happens(0.5)) this.reseal();
  }

  #use(keys: Map<string, Uint8Array<ArrayBuffer>>): void {
    this.#keys = keys;
    this.#seal = createSeal(keys, "new");
  }
}
