// What the sessions of a publisher write goes to the database together: while one round trip is under way, what is asked
// meanwhile waits for the next. Each is one batch, all or nothing; one whose answer was lost is asked again.
import { type Database, wasRefused } from "../store/db/db.ts";
import { untilKnown } from "../store/db/until-known.ts";
import { type SendIntent, type WrittenIntent, writeSendIntents } from "../store/deliveries/send-intent.ts";
import { type Settled, type Settlement, settleDeliveries } from "../store/deliveries/settle.ts";

/** Rows of one round trip: its statements stay far below the 2 MB that D1 takes in a parameter, and below its 30 seconds. */
const TOGETHER_MAX = 100;

/**
 * A round trip waits for sessions that are still at work elsewhere as long as one more asks within the time that the last one
 * took: to go twice costs as much. In milliseconds, at least and at most ...
 */
const GATHER_MIN_MS = 10;
const GATHER_MAX_MS = 80;
/** ... and so many times at most. */
const GATHER_MAX = 5;

export interface WriteBatcherParts {
  db: Database;
  /** Ends after so many milliseconds. */
  pause(ms: number): Promise<void>;
  /** Epoch milliseconds. */
  now(): number;
  /** Settlements whose writing had no answer: told before they are tried again. */
  unanswered(settlements: Settlement[]): void;
}

export class WriteBatcher {
  readonly #line: RoundTrips;
  readonly #intents: Shared<SendIntent, WrittenIntent>;
  readonly #settlements: Shared<Settlement, Settled>;

  constructor({ db, pause, now, unanswered }: WriteBatcherParts) {
    this.#line = new RoundTrips(pause, now);
    this.#intents = new Shared(this.#line, (intents) => untilKnown({ pause }, () => writeSendIntents(db, intents)));
    this.#settlements = new Shared(this.#line, (settlements) =>
      untilKnown({ pause, failed: () => unanswered(settlements) }, () => settleDeliveries(db, settlements)),
    );
  }

  /** A session is at work, whose writes others wait for until what is returned is called. */
  join(): () => void {
    this.#line.join();
    return () => this.#line.leave();
  }

  /** Writes a send intent. null: do not send. Throws `DatabaseAway` when nobody can say now whether it was written. */
  intend(intent: SendIntent): Promise<WrittenIntent> {
    return this.#intents.ask(intent);
  }

  /** Writes how a delivery's session ended. Throws `DatabaseAway` when nobody can say now whether it was written. */
  settle(settlement: Settlement): Promise<Settled> {
    return this.#settlements.ask(settlement);
  }
}

interface Asked<In, Out> {
  input: In;
  settle(output: Out): void;
  fail(error: unknown): void;
}

/** One question that many sessions may ask at once. */
class Shared<In, Out> {
  readonly #line: RoundTrips;
  readonly #answerAll: (inputs: In[]) => Promise<Out[]>;
  #asked: Asked<In, Out>[] = [];

  /** `answerAll` answers in the order of its inputs, and has changed nothing when it throws that it was refused. */
  constructor(line: RoundTrips, answerAll: (inputs: In[]) => Promise<Out[]>) {
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
      // What one of them made impossible must not take the others along.
      if (wasRefused(error)) for (const one of going) await this.#answer([one]).catch(one.fail);
      else for (const { fail } of going) fail(error);
    }
    return going.length;
  }

  async #answer(going: Asked<In, Out>[]): Promise<void> {
    const outputs = await this.#answerAll(going.map(({ input }) => input));
    for (const [i, output] of outputs.entries()) going[i]?.settle(output);
  }
}

/** Round trips one after the other, so that one connection of the object is enough for them. */
class RoundTrips {
  /** Each returns how many questions it took along. */
  readonly #waiting: (() => Promise<number>)[] = [];
  readonly #pause: (ms: number) => Promise<void>;
  readonly #now: () => number;
  /** What the last round trip took, in milliseconds. */
  #lastMs = 0;
  #sessions = 0;
  #asking = 0;
  /** How many round trips have begun: what waited for one of them need not wait any more. */
  #begun = 0;
  #gathering = false;
  #going = false;

  constructor(pause: (ms: number) => Promise<void>, now: () => number) {
    this.#pause = pause;
    this.#now = now;
  }

  join(): void {
    this.#sessions++;
  }
  leave(): void {
    this.#sessions--;
    this.#start();
  }

  /** One more asks, or `more`; the first of a kind brings its round trip. */
  ask(roundTrip: (() => Promise<number>) | null, more = 1): void {
    if (roundTrip !== null) this.#waiting.push(roundTrip);
    this.#asking += more;
    this.#start();
  }

  /** Goes at once when nobody is left who could come along, else a little later. */
  #start(): void {
    if (this.#going || this.#waiting.length === 0) return;
    if (this.#asking >= this.#sessions) void this.#go();
    else if (!this.#gathering) void this.#gather();
  }

  async #gather(): Promise<void> {
    const begun = this.#begun;
    const waitMs = Math.min(GATHER_MAX_MS, Math.max(GATHER_MIN_MS, this.#lastMs));
    this.#gathering = true;
    for (let times = 0, asking = 0; times < GATHER_MAX && asking < this.#asking; times++) {
      asking = this.#asking;
      await this.#pause(waitMs);
      if (begun !== this.#begun) return;
    }
    await this.#go();
  }

  async #go(): Promise<void> {
    if (this.#going) return;
    this.#going = true;
    this.#gathering = false;
    this.#begun++;
    // What is asked in the same instant goes along.
    await Promise.resolve();
    for (const roundTrip of this.#waiting.splice(0)) {
      const leftAt = this.#now();
      const count = await roundTrip();
      this.#lastMs = this.#now() - leftAt;
      this.#asking -= count;
    }
    this.#going = false;
    this.#start();
  }
}
