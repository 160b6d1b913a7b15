// What the hands of one queue batch ask of a database while a trip to it is under way goes together with the next one: a
// trip is one batch, all or nothing, and each hand hears what became of its own part.

import type { Want } from "../store/claims.ts";
import { type Database, wasRefused } from "../store/db.ts";
import { type Ahead, type Ending, writeAheadAll } from "../store/deliveries.ts";
import { type Turn, type Turned, turnAll } from "../store/turns.ts";

/** Rows of one trip: its statements stay far below the 2 MB that D1 takes in a parameter, and below its 30 seconds. */
const TOGETHER_MAX = 100;

export class SharedTrips {
  readonly #aheads: Shared<Ahead, number | null>;
  readonly #turns: Shared<Turn, Turned>;

  constructor(db: Database) {
    const line = new OneAtATime();
    this.#aheads = new Shared(line, (sends) => writeAheadAll(db, sends));
    this.#turns = new Shared(line, (turns) => turnAll(db, turns));
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
export class Shared<In, Out> {
  readonly #line: OneAtATime;
  readonly #answerAll: (inputs: In[]) => Promise<Out[]>;
  #asked: Asked<In, Out>[] = [];

  /** `answerAll` answers in the order of its inputs, and changes nothing when it throws that it was refused. */
  constructor(line: OneAtATime, answerAll: (inputs: In[]) => Promise<Out[]>) {
    this.#line = line;
    this.#answerAll = answerAll;
  }

  ask(input: In): Promise<Out> {
    return new Promise((settle, fail) => {
      this.#asked.push({ input, settle, fail });
      if (this.#asked.length === 1) this.#line.enter(() => this.#go());
    });
  }

  async #go(): Promise<void> {
    const going = this.#asked.splice(0, TOGETHER_MAX);
    if (this.#asked.length > 0) this.#line.enter(() => this.#go());
    try {
      await this.#answer(going);
    } catch (error) {
      if (!wasRefused(error)) {
        // Whether it was written, nobody knows: none of it is asked again.
        for (const { fail } of going) fail(error);
        return;
      }
      for (const one of going) await this.#answer([one]).catch(one.fail);
    }
  }

  async #answer(going: Asked<In, Out>[]): Promise<void> {
    const outputs = await this.#answerAll(going.map(({ input }) => input));
    for (const [i, output] of outputs.entries()) going[i]?.settle(output);
  }
}

/** Trips one after the other, so that one connection of the invocation is enough for them. */
export class OneAtATime {
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = false;

  enter(trip: () => Promise<void>): void {
    this.#waiting.push(trip);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    // Whoever asks in the same breath comes along.
    await Promise.resolve();
    for (let trip = this.#waiting.shift(); trip !== undefined; trip = this.#waiting.shift()) await trip();
    this.#running = false;
  }
}
