// What happened to one delivery: the network calls that were made for it, the faults that struck them, and the waits of its row.
import type { Row } from "./database.ts";
import type { Subject } from "./subjects.ts";
import type { Channel } from "./wanted.ts";
import type { NetworkCall } from "./wire.ts";
import type { Injected, World } from "./world.ts";

/** A time for which a row waits. Epoch milliseconds. */
export interface Wait {
  from: number;
  to: number;
  state: string;
  /** The retries that the row had used up before. */
  retries: number;
}
/** By `getKey` of the row. */
export type Waits = ReadonlyMap<string, readonly Wait[]>;

export interface Span {
  from: number;
  to: number;
}

const isFor = (subject: Subject | null, posts: ReadonlySet<string>, channel: string): boolean =>
  subject?.channel === channel && subject.post !== null && posts.has(subject.post);

export class History {
  readonly channel: Channel;
  readonly #world: World;
  readonly #posts: ReadonlySet<string>;

  /** `posts`: the ids of its post. There are several if the answers to its creation were lost. */
  constructor(world: World, channel: Channel, posts: ReadonlySet<string>) {
    this.#world = world;
    this.channel = channel;
    this.#posts = posts;
  }
  static of(world: World, channel: Channel, { post_id }: Row): History {
    return new History(world, channel, new Set([String(post_id)]));
  }

  /** The network calls that were made for it. */
  get calls(): NetworkCall[] {
    return this.#world.wires.calls.filter(({ subject }) => isFor(subject, this.#posts, this.channel.id));
  }
  /** Faults of calls that were made for it. */
  get faults(): Injected[] {
    return this.#world.injected.filter(({ subject }) => isFor(subject, this.#posts, this.channel.id));
  }
  /** Faults of calls that were made for its channel as a whole, or for other deliveries of the channel. */
  get faultsBeside(): Injected[] {
    const { injected } = this.#world;
    return injected.filter(
      ({ subject }) => subject?.channel === this.channel.id && !isFor(subject, this.#posts, this.channel.id),
    );
  }
  waits(all: Waits): Wait[] {
    return [...this.#posts].flatMap((post) => all.get(`${post} ${this.channel.id}`) ?? []);
  }
}
