// Batches the database writes of a publisher's sessions. While one round trip is under way, new writes wait for the next.
// Each round trip is one batch, all or nothing. If its answer is lost, the batch is written again.
import { wasRefused } from "../domain/database-fault.ts";
import type { Database } from "../store/db/db.ts";
import { untilKnown } from "../store/db/until-known.ts";
import type { DeliveryRecord, Recorded } from "../store/deliveries/record.ts";
import type { SendIntent, WrittenIntent } from "../store/deliveries/send-intent.ts";
import { takeTogether, writeDeliveries } from "../store/deliveries/write.ts";

/**
 * Before a round trip begins, it waits for further sessions that are still working. It stops waiting if none asks to
 * write within twice the time of the last round trip, because a second round trip would not take longer. These are the
 * limits of one such wait in milliseconds. The maximum is shorter than a user notices. The minimum is longer than the
 * gap between sessions that began together when many publishers share a processor.
 */
const GATHER_MIN_MS = 100;
const GATHER_MAX_MS = 400;
const GATHER_TRIPS = 2;
/** How many times a round trip waits at most. */
const GATHER_MAX = 5;

export interface WriteBatcherParts {
  db: Database;
  /** Resolves after `ms` milliseconds. */
  pause(ms: number): Promise<void>;
  /** Epoch milliseconds. */
  now(): number;
  /**
   * Called with the records whose write had no answer, before they are retried, and with the records that the
   * database refuses although they prove that a post is out.
   */
  keep(records: DeliveryRecord[]): void;
}

interface Asked<In, Out> {
  input: In;
  resolve(output: Out): void;
  fail(error: unknown): void;
}
type AskedRecord = Asked<DeliveryRecord, Recorded>;
type AskedIntent = Asked<SendIntent, WrittenIntent>;

export class WriteBatcher {
  readonly #parts: WriteBatcherParts;
  #records: AskedRecord[] = [];
  #intents: AskedIntent[] = [];
  /** The number of sessions at work, including those that have nothing to write now. */
  #sessions = 0;
  /** How long the last round trip took, in milliseconds. */
  #lastMs = 0;
  /** How many round trips have begun. Work that waited for one of them need not wait any more. */
  #begun = 0;
  #gathering = false;
  #going = false;

  constructor(parts: WriteBatcherParts) {
    this.#parts = parts;
  }

  /**
   * Registers a session whose writes the others wait for. The returned function ends that, and may be called more than once.
   */
  join(): () => void {
    let isAtWork = true;
    this.#sessions++;
    return () => {
      if (!isAtWork) return;
      isAtWork = false;
      this.#sessions--;
      this.#start();
    };
  }

  /**
   * Writes a send intent. Returns null if the delivery must not be sent. Throws `DatabaseAway` if it is unknown whether the
   * intent was written.
   */
  intend(intent: SendIntent): Promise<WrittenIntent> {
    return new Promise((resolve, fail) => {
      this.#intents.push({ input: intent, resolve, fail });
      this.#start();
    });
  }

  /** Writes how a delivery's session ended. Throws `DatabaseAway` if it is unknown whether that was written. */
  record(record: DeliveryRecord): Promise<Recorded> {
    return new Promise((resolve, fail) => {
      this.#records.push({ input: record, resolve, fail });
      this.#start();
    });
  }

  get #asking(): number {
    return this.#records.length + this.#intents.length;
  }

  /** Starts at once if no other session could still join, else a little later. Only one round trip is under way at a time. */
  #start(): void {
    if (this.#going || this.#asking === 0) return;
    if (this.#asking >= this.#sessions) void this.#go();
    else if (!this.#gathering) void this.#gather();
  }

  async #gather(): Promise<void> {
    const roundTrips = this.#begun;
    const waitMs = Math.min(GATHER_MAX_MS, Math.max(GATHER_MIN_MS, GATHER_TRIPS * this.#lastMs));
    this.#gathering = true;
    for (let times = 0, asking = 0; times < GATHER_MAX && asking < this.#asking; times++) {
      asking = this.#asking;
      await this.#parts.pause(waitMs);
      if (roundTrips !== this.#begun) return;
    }
    await this.#go();
  }

  async #go(): Promise<void> {
    if (this.#going) return;
    this.#going = true;
    this.#gathering = false;
    this.#begun++;
    // Lets writes that are requested in the same instant join.
    await Promise.resolve();
    const leftAt = this.#parts.now();
    await this.#write(takeTogether(this.#records, getInput), takeTogether(this.#intents, getInput));
    this.#lastMs = this.#parts.now() - leftAt;
    this.#going = false;
    this.#start();
  }

  /** Never throws. */
  async #write(records: AskedRecord[], intents: AskedIntent[]): Promise<void> {
    try {
      await this.#writeTogether(records, intents);
    } catch (error) {
      // One refused write must not fail the others.
      if (wasRefused(error) && records.length + intents.length > 1) {
        for (const record of records) await this.#write([record], []);
        for (const intent of intents) await this.#write([], [intent]);
        return;
      }
      const proofs = records.map(getInput).filter(isProof);
      if (proofs.length > 0) this.#parts.keep(proofs);
      for (const { fail } of [...records, ...intents]) fail(error);
    }
  }

  async #writeTogether(records: AskedRecord[], intents: AskedIntent[]): Promise<void> {
    const { db, pause, keep } = this.#parts;
    const inputs = { records: records.map(getInput), intents: intents.map(getInput) };
    const failed = () => {
      if (inputs.records.length > 0) keep(inputs.records);
    };
    const outputs = await untilKnown({ pause, failed }, () => writeDeliveries(db, inputs.records, inputs.intents));
    for (const [i, output] of outputs.recorded.entries()) records[i]?.resolve(output);
    for (const [i, output] of outputs.intents.entries()) intents[i]?.resolve(output);
  }
}

/** Whether a record proves that the network has a post, a thread part, or a draft. */
const isProof = ({ decision }: DeliveryRecord): boolean => decision.live !== undefined;

const getInput = <In>({ input }: { input: In }): In => input;
