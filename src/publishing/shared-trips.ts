// What the hands of one queue batch ask of a database while a trip to it is under way goes together with the next one: a
// trip is one batch, all or nothing, and each hand hears what became of its own part.

import type { Want } from "../store/claims.ts";
import { type Database, wasRefused } from "../store/db.ts";
import { type Ahead, writeAheadAll } from "../store/deliveries.ts";
import type { Ending } from "../store/endings.ts";
import { type Turn, type Turned, turnAll } from "../store/turns.ts";

/** Rows of one trip: its statements stay far below the 2 MB that D1 takes in a parameter, and below its 30 seconds. */
const TOGETHER_MAX = 100;

/** A trip waits for hands that are still at work elsewhere as long as one more asks within so many milliseconds ... */
const GATHER_MS = 20;
/** ... and so many times at most. */
const GATHER_MAX = 5;

export class SharedTrips {
  readonly #line: Line;
  readonly #aheads: Shared<Ahead, number | null>;
  readonly #turns: Shared<Turn, Turned>;

  /** `pause` ends after so many milliseconds. */
  constructor(db: Database, pause: (ms: number) => Promise<void>) {
    this.#line = new Line(pause);
    this.#aheads = new Shared(this.#line, (sends) => writeAheadAll(db, sends));
    this.#turns = new Shared(this.#line, (turns) => turnAll(db, turns));
  }

  /** Does the work of one hand, which others' trips wait for. */
  async withHand(work: () => Promise<void>): Promise<void> {
    this.#line.join();
    await work().finally(() => this.#line.leave());
  }

  /** The instant of the send by the database's clock; null: do not send. */
  writeAhead(send: Ahead): Promise<number | null> {
    return this.#aheads.ask(send);
  }

  /** Ends a delivery and claims the next one of its channel, in one transaction and in this order. */
  turn(ending: Ending | null, want: Want | null): Promise<Turned> {
    return this.#turns.ask({ ending, want });
  }
}

interface Asked<In, Out> {
  input: In;
  settle(output: Out): void;
  fail(error: unknown): void;
}

/** One question that many may ask at once. */
class Shared<In, Out> {
  readonly #line: Line;
  readonly #answerAll: (inputs: In[]) => Promise<Out[]>;
  #asked: Asked<In, Out>[] = [];

  /** `answerAll` answers in the order of its inputs, and has changed nothing when it throws that it was refused. */
  constructor(line: Line, answerAll: (inputs: In[]) => Promise<Out[]>) {
    this.#line = line;
    this.#answerAll = answerAll;
  }

  ask(input: In): Promise<Out> {
    return new Promise((settle, fail) => {
      this.#asked.push({ input, settle, fail });
      this.#line.ask(this.#asked.length === 1 ? () => this.#go() : null);
    });
  }

  async #go(): Promise<number> {
    const going = this.#asked.splice(0, TOGETHER_MAX);
    if (this.#asked.length > 0) this.#line.ask(() => this.#go(), 0);
    try {
      await this.#answer(going);
    } catch (error) {
      if (wasRefused(error)) for (const one of going) await this.#answer([one]).catch(one.fail);
      // Whether it was written, nobody knows: none of it is asked again.
      else for (const { fail } of going) fail(error);
    }
    return going.length;
  }

  async #answer(going: Asked<In, Out>[]): Promise<void> {
    const outputs = await this.#answerAll(going.map(({ input }) => input));
    for (const [i, output] of outputs.entries()) going[i]?.settle(output);
  }
}

/** Trips one after the other, so that one connection of the invocation is enough for them. */
class Line {
  /** Each returns how many it took along. */
  readonly #trips: (() => Promise<number>)[] = [];
  readonly #pause: (ms: number) => Promise<void>;
  #hands = 0;
  #asking = 0;
  /** Trips that have gone: who waited for one of them need not wait any more. */
  #gone = 0;
  #gathering = false;
  #going = false;

  constructor(pause: (ms: number) => Promise<void>) {
    this.#pause = pause;
  }

  join(): void {
    this.#hands++;
  }
  leave(): void {
    this.#hands--;
    this.#start();
  }

  /** One more asks, or `more`; the first of a kind brings its trip. */
  ask(trip: (() => Promise<number>) | null, more = 1): void {
    if (trip !== null) this.#trips.push(trip);
    this.#asking += more;
    this.#start();
  }

  /** Goes at once when nobody is left who could come along, else a little later. */
  #start(): void {
    if (this.#going || this.#trips.length === 0) return;
    if (this.#asking >= this.#hands) void this.#go();
    else if (!this.#gathering) void this.#gather();
  }

  async #gather(): Promise<void> {
    const gone = this.#gone;
    this.#gathering = true;
    for (let times = 0, asking = 0; times < GATHER_MAX && asking < this.#asking; times++) {
      asking = this.#asking;
      await this.#pause(GATHER_MS);
      if (gone !== this.#gone) return;
    }
    await this.#go();
  }

  async #go(): Promise<void> {
    if (this.#going) return;
    this.#going = true;
    this.#gathering = false;
    this.#gone++;
    // Whoever asks in the same breath comes along.
    await Promise.resolve();
    for (const trip of this.#trips.splice(0)) {
      const went = await trip();
      this.#asking -= went;
    }
    this.#going = false;
    this.#start();
  }
}
