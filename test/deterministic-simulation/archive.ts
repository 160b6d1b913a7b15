// Old data that has left the database of a world: finished posts, which move to the archive in the bucket, and events.
import { RETENTION_MONTH_MS } from "../../src/domain/limits.ts";
import type { Change, Row } from "./database.ts";
import type { World } from "./world.ts";

export class Archive {
  readonly #world: World;
  /** The rows that the sweeper deleted, as they were before. */
  readonly posts: Row[] = [];
  readonly deliveries: Row[] = [];
  readonly events: Row[] = [];
  /** How long a finished post is kept, in milliseconds; null: forever. */
  keptMs: number | null = null;

  constructor(world: World) {
    this.#world = world;
  }

  /** The product's setting counts months; a world may make them shorter. */
  get retentionMonths(): number | null {
    return this.keptMs === null ? null : this.keptMs / RETENTION_MONTH_MS;
  }

  /** Keeps finished posts for this long from now on. */
  keepFor(ms: number): void {
    this.keptMs = ms;
  }

  note(changes: readonly Change[]): void {
    if (this.#world.acting?.kind !== "sweep") return;
    const all: Record<string, Row[]> = { posts: this.posts, deliveries: this.deliveries, events: this.events };
    for (const { table, before, after } of changes) if (before !== null && after === null) all[table]?.push(before);
  }

  has(postId: string | null): boolean {
    return this.posts.some(({ id }) => id === postId);
  }

  /** The texts of the archive files of a workspace. */
  filesOf(workspace: string): string[] {
    const prefix = `archive/${workspace}/`;
    return [...this.#world.objects]
      .filter(([key]) => key.startsWith(prefix))
      .map(([, { bytes }]) => new TextDecoder().decode(bytes));
  }
}
