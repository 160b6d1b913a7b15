// A month that ends while its plan and its budget have little room left. It counts only posts that were requested in it, never
// exceeds its limits, and no post is rejected that there was room for.
import { PLANS } from "../../src/domain/plan.ts";
import { number } from "./checks-always.ts";
import type { Say } from "./promises.ts";
import type { Answer } from "./requests.ts";
import type { World } from "./world.ts";

const MINUTE = 60_000;
/** How far clocks differ. */
const SKEW_MS = 5_000;
/** The longest time between a request's read of the month and its write. */
const WRITES_WITHIN_MS = 20 * MINUTE;
const POSTS_MAX = PLANS.free.posts_per_month;
const COSTS = /costs \$([\d.]+), and \$([\d.]+) of the workspace's monthly budget/;

/** The usage of a month from an instant on. Costs are in millionths of a US dollar. */
interface Use {
  at: number;
  month: string;
  posts: number;
  cost: number;
}

/** A separate implementation, because the code under test may be wrong about months. */
export const readMonth = (at: number): string => new Date(at).toISOString().slice(0, 7);

export class Months {
  readonly #world: World;
  readonly #say: Say;
  readonly workspace: string;
  readonly #budget: number | null;
  readonly #uses: Use[] = [];

  /** Watches a workspace of the free plan. `budget`: per month; null: none. */
  constructor(world: World, workspace: string, budget: number | null, say: Say) {
    this.#world = world;
    this.workspace = workspace;
    this.#budget = budget;
    this.#say = say;
    this.#uses.push(...this.#read());
  }

  /** Called after each commit. */
  committed(): void {
    for (const use of this.#read()) {
      const before = this.#uses.findLast(({ month }) => month === use.month) ?? { posts: 0, cost: 0 };
      if (use.posts === before.posts && use.cost === before.cost) continue;
      this.#uses.push(use);
      this.#judge(use, before);
    }
  }

  /** The usage of each month so far. */
  #read(): Use[] {
    // After a restore, the usage is counted again.
    if (this.#world.wentBackAt !== null) return [];
    const at = this.#world.now();
    const rows = this.#world.database.rows(
      `SELECT month, SUM(posts) AS posts, SUM(cost) AS cost FROM (
        SELECT month, posts, 0 AS cost FROM usage_months WHERE workspace_id = ?1
        UNION ALL SELECT month, 0, cost FROM spending WHERE workspace_id = ?1 AND key_id = '') GROUP BY month`,
      this.workspace,
    );
    return rows.map(({ month, posts, cost }) => {
      return { at, month: String(month), posts: number(posts), cost: number(cost) };
    });
  }

  #judge({ at, month, posts, cost }: Use, before: Pick<Use, "posts" | "cost">): void {
    if (posts > before.posts) {
      if (posts > POSTS_MAX) this.#say("month_allows", `${month} holds ${posts} posts, and may hold ${POSTS_MAX}`);
      if (![at + SKEW_MS, at - WRITES_WITHIN_MS].some((instant) => readMonth(instant) === month))
        this.#say("month_allows", `${month} counts a post that was asked for at ${new Date(at).toISOString()}`);
    }
    if (cost > before.cost && this.#budget !== null && cost > this.#budget)
      this.#say("month_allows", `the posts of ${month} cost ${cost}, and may cost ${this.#budget}`);
  }

  /** Called with the answer to a request that was made at `from`. */
  answered(from: number, answer: Answer): void {
    if (answer.is !== "answer" || answer.status !== 402 || this.#world.wentBackAt !== null) return;
    const text = String(answer.body);
    const to = this.#world.now();
    const months = new Set([from - SKEW_MS, to + SKEW_MS].map(readMonth));
    const most = (counted: (use: Use) => number, isOf: (use: Use) => boolean = ({ month }) => months.has(month)) =>
      Math.max(0, ...this.#during(from, to).filter(isOf).map(counted));
    if (text.includes("of posts_per_month") && most(({ posts }) => posts) < POSTS_MAX)
      this.#say("month_allows", `${[...months].join(", ")} had room for a post that was refused: ${text}`);
    const [, cost, used] = COSTS.exec(text) ?? [];
    if (cost === undefined || this.#budget === null) return;
    // An edited post counts in the month in which it was created.
    const spent = most(
      (use) => use.cost,
      () => true,
    );
    if (spent + toMicros(cost) <= this.#budget || toMicros(used) > spent)
      this.#say("month_allows", `no more than ${spent} was spent in a month when a post was refused: ${text}`);
  }

  /** The usage of each month at every instant between two instants. */
  #during(from: number, to: number): Use[] {
    return this.#uses.filter(({ at, month }, i) => {
      const isOver = this.#uses.slice(i + 1).some((later) => later.month === month && later.at < from);
      return at <= to && !isOver;
    });
  }

  /** At the end: the cost of a month equals the cost of its posts. */
  judgeCosts(): void {
    for (const { month, cost } of this.#read()) {
      const monthPosts = this.#world.database.rows(
        "SELECT COALESCE(SUM(counted_cost), 0) AS cost FROM posts WHERE workspace_id = ? AND counted_month = ?",
        this.workspace,
        month,
      );
      const archived = this.#world.archive.posts.filter(
        (post) => post.workspace_id === this.workspace && post.counted_month === month,
      );
      const sum = [...monthPosts.map((row) => row.cost), ...archived.map((post) => post.counted_cost)].reduce<number>(
        (total, one) => total + number(one),
        0,
      );
      if (cost !== sum) this.#say("month_allows", `${month} counts costs of ${cost}, its posts cost ${sum}`);
    }
  }
}

const toMicros = (usd: string | undefined): number => Math.round(Number(usd) * 1_000_000);
