// What happened to one delivery, and nothing else: the calls that were made for it, the faults that struck these, the waits that its
// row was given, and what kept its channel and its publisher from it meanwhile.
import type { Row } from "./database.ts";
import type { Subject } from "./subjects.ts";
import type { Channel } from "./wanted.ts";
import type { NetworkCall } from "./wire.ts";
import type { Injected, World } from "./world.ts";

/** A row that is to be worked later. Epoch milliseconds. */
export interface Wait {
  from: number;
  to: number;
  state: string;
  detail: string | null;
  /** Places of the retry table that were used up before. */
  retries: number;
}
/** By `keyOf` of the row. */
export type Waits = ReadonlyMap<string, readonly Wait[]>;

export interface Span {
  from: number;
  to: number;
}

/** How many milliseconds between two instants no span covers. */
export function uncoveredMs(spans: readonly Span[], from: number, to: number): number {
  let left = 0;
  let until = from;
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    if (span.from > to) break;
    if (span.to <= span.from) continue;
    left += Math.max(0, span.from - until);
    until = Math.max(until, span.to);
  }
  return left + Math.max(0, to - until);
}

/** The pieces of time in which at least `count` of some spans are open at once. */
export function spansWithAtLeast(count: number, spans: readonly Span[]): Span[] {
  const edges = spans.flatMap(({ from, to }) => [
    { at: from, by: 1 },
    { at: to, by: -1 },
  ]);
  edges.sort((a, b) => a.at - b.at || b.by - a.by);
  const full: Span[] = [];
  let open = 0;
  for (const [i, { at, by }] of edges.entries()) {
    open += by;
    const next = edges[i + 1];
    if (open >= count && next !== undefined && next.at > at) full.push({ from: at, to: next.at });
  }
  return full;
}

/** From a call's beginning until its caller knew, or never would, and its network had done with it. */
export const spanOf = ({ at, endedAt, carriedOutAt, process }: NetworkCall): Span => ({
  from: at,
  to: Math.max(endedAt ?? process.diedAt ?? Number.POSITIVE_INFINITY, carriedOutAt ?? at),
});

/** The same, but not what its network did with it later: only for so long does it hold a connection, or keep others waiting. */
export const heldSpanOf = ({ at, endedAt, process }: NetworkCall): Span => ({
  from: at,
  to: endedAt ?? process.diedAt ?? Number.POSITIVE_INFINITY,
});

/** Calls that a fault struck, or whose process did not live to see them answered, and all others. */
export function sortCalls(calls: NetworkCall[]): { struck: NetworkCall[]; unstruck: NetworkCall[] } {
  const isStruck = ({ isStruck, process }: NetworkCall) =>
    isStruck || process.diedAt !== null || process.takenOverAt !== null;
  return { struck: calls.filter(isStruck), unstruck: calls.filter((call) => !isStruck(call)) };
}

const isFor = (subject: Subject | null, posts: ReadonlySet<string>, channel: string): boolean =>
  subject?.channel === channel && subject.post !== null && posts.has(subject.post);

export class History {
  readonly channel: Channel;
  readonly #world: World;
  readonly #posts: ReadonlySet<string>;

  /** `posts`: the ids of its post; several where nobody was told which of them was made. */
  constructor(world: World, channel: Channel, posts: ReadonlySet<string>) {
    this.#world = world;
    this.channel = channel;
    this.#posts = posts;
  }
  static of(world: World, channel: Channel, { post_id }: Row): History {
    return new History(world, channel, new Set([String(post_id)]));
  }

  /** Everybody's calls. */
  get allCalls(): NetworkCall[] {
    return this.#world.wires.calls;
  }
  /** Calls of its network that were made for it. */
  get calls(): NetworkCall[] {
    return this.#world.wires.calls.filter(({ subject }) => isFor(subject, this.#posts, this.channel.id));
  }
  /** Faults of calls that were made for it. */
  get faults(): Injected[] {
    return this.#world.injected.filter(({ subject }) => isFor(subject, this.#posts, this.channel.id));
  }
  /** Faults of calls that were made for its channel as a whole, or for other deliveries of it. */
  get faultsBeside(): Injected[] {
    const { injected } = this.#world;
    return injected.filter(
      ({ subject }) => subject?.channel === this.channel.id && !isFor(subject, this.#posts, this.channel.id),
    );
  }
  /** The same of calls. */
  get callsBeside(): NetworkCall[] {
    return this.#world.wires.calls.filter(
      ({ subject }) => subject?.channel === this.channel.id && !isFor(subject, this.#posts, this.channel.id),
    );
  }
  waits(all: Waits): Wait[] {
    return [...this.#posts].flatMap((post) => all.get(`${post} ${this.channel.id}`) ?? []);
  }
}
