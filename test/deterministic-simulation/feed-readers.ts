// Readers of the event feed. Each one saves the cursor of its last page and continues from it through restarts, moves and
// restores. It repeats the request if the answer is lost.
import type { Answer } from "./requests.ts";
import type { Tenant } from "./tenants.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

const SECOND = 1_000;

export interface ReaderOptions {
  /** Whether it also requests the events of channels. */
  hasChannels: boolean;
  /** Events per page. */
  limit: number;
}

interface Page {
  events: { id: string; event: string }[];
  next: string | null;
}

export class FeedReader {
  readonly tenant: Tenant;
  readonly options: ReaderOptions;
  /** The ids of the events that it was shown, in order. */
  readonly seen: string[] = [];
  #cursor: string | null = null;
  #isReading = false;

  constructor(tenant: Tenant, options: ReaderOptions) {
    this.tenant = tenant;
    this.options = options;
  }

  /** Reads a page, and more pages while they are full. */
  read(world: World, workload: Workload): void {
    if (this.#isReading) return;
    this.#isReading = true;
    workload.request(this.tenant.id, "events.list", { query: this.query() }, (answer) => {
      this.#isReading = false;
      if (this.take(answer)) workload.at(world.now() + SECOND, () => this.read(world, workload));
    });
  }

  /** Its next request. */
  query(): Record<string, string> {
    const { hasChannels, limit } = this.options;
    return {
      order: "oldest",
      limit: String(limit),
      ...(hasChannels ? { include: "channels" } : {}),
      ...(this.#cursor === null ? {} : { cursor: this.#cursor }),
    };
  }

  /** Stores an answer. Returns whether the page was full. */
  take(answer: Answer): boolean {
    if (answer.is !== "answer" || answer.status !== 200) return false;
    const { events, next }: Page = Object(answer.body);
    this.seen.push(...events.map(({ id }) => id));
    this.#cursor = next;
    return events.length === this.options.limit;
  }
}
