// Group commit: the writes of a publisher's sessions share round trips to the database. While one round trip is under way,
// new writes wait for the next. Each round trip is one batch, all or nothing. If its answer is lost, the batch is written
// again. Only record.ts knows of it.
import type { Context } from "../context.ts";
import { wasRefused } from "../domain/database-fault.ts";
import { untilKnown } from "../store/db/until-known.ts";
import type { DeliveryRecord, Recorded } from "../store/deliveries/record.ts";
import type { SendIntent, WrittenIntent } from "../store/deliveries/send-intent.ts";
import { takeTogether, writeDeliveries } from "../store/deliveries/write.ts";
import type { Unwritten } from "./unwritten.ts";

/**
 * Before a round trip begins, it waits for further writers that are still working. It stops waiting if none asks to
 * write within twice the time of the last round trip, because a second round trip would not take longer. These are the
 * limits of one such wait in milliseconds. The maximum is shorter than a user notices. The minimum is longer than the
 * gap between sessions that began together when many publishers share a processor.
 */
const GATHER_MIN_MS = 100;
const GATHER_MAX_MS = 400;
const GATHER_TRIPS = 2;
/** How many times a round trip waits at most. */
const GATHER_MAX = 5;

export interface GroupCommitTools {
  ctx: Pick<Context, "databaseOf" | "pause" | "now">;
  unwritten: Pick<Unwritten, "keepRecords">;
  workspaceId: string;
}

/** An input that waits for a round trip, and the promise of its output. */
interface Asked<In, Out> extends PromiseWithResolvers<Out> {
  input: In;
}
type AskedRecord = Asked<DeliveryRecord, Recorded>;
type AskedIntent = Asked<SendIntent, WrittenIntent>;

export class GroupCommit {
  readonly #tools: GroupCommitTools;
  readonly #records: AskedRecord[] = [];
  readonly #intents: AskedIntent[] = [];
  /** The names of the writers at work, including those that have nothing to write now. */
  readonly #writers = new Set<string>();
  /** How long the last round trip took, in milliseconds. */
  #lastMs = 0;
  /** How many round trips have begun. Work that waited for one of them need not wait any more. */
  #begun = 0;
  #gathering = false;
  #going = false;

  constructor(tools: GroupCommitTools) {
    this.#tools = tools;
  }

  /** Makes the writes of others wait for a writer, until it is dismissed. */
  expect(writer: string): void {
    this.#writers.add(writer);
  }
  dismiss(writer: string): void {
    if (this.#writers.delete(writer)) this.#start();
  }

  /** Writes a send intent. Throws `DatabaseAway` if it is unknown whether it was written. */
  announce(input: SendIntent): Promise<WrittenIntent> {
    return this.#ask(this.#intents, input);
  }

  /** Writes how a delivery's session ended. Throws `DatabaseAway` if it is unknown whether that was written. */
  record(input: DeliveryRecord): Promise<Recorded> {
    return this.#ask(this.#records, input);
  }

  #ask<In, Out>(waiting: Asked<In, Out>[], input: In): Promise<Out> {
    const request = { input, ...Promise.withResolvers<Out>() };
    waiting.push(request);
    this.#start();
    return request.promise;
  }

  get #asking(): number {
    return this.#records.length + this.#intents.length;
  }

  /** Starts at once if no other session could still join, else a little later. Only one round trip is under way at a time. */
  #start(): void {
    if (this.#going || this.#asking === 0) return;
    if (this.#asking >= this.#writers.size) void this.#go();
    else if (!this.#gathering) void this.#gather();
  }

  async #gather(): Promise<void> {
    const roundTrips = this.#begun;
    const waitMs = Math.min(GATHER_MAX_MS, Math.max(GATHER_MIN_MS, GATHER_TRIPS * this.#lastMs));
    this.#gathering = true;
    for (let times = 0, asking = 0; times < GATHER_MAX && asking < this.#asking; times++) {
      asking = this.#asking;
      await this.#tools.ctx.pause(waitMs);
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
    const { now } = this.#tools.ctx;
    const leftAt = now();
    await this.#write(takeTogether(this.#records, getInput), takeTogether(this.#intents, getInput));
    this.#lastMs = now() - leftAt;
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
      // A record that the database refuses although it proves that a post is out waits in the object's storage.
      this.#tools.unwritten.keepRecords(records.map(getInput).filter(isProof));
      for (const { reject } of [...records, ...intents]) reject(error);
    }
  }

  async #writeTogether(askedRecords: AskedRecord[], askedIntents: AskedIntent[]): Promise<void> {
    const { ctx, unwritten, workspaceId } = this.#tools;
    const [records, intents] = [askedRecords.map(getInput), askedIntents.map(getInput)];
    // Records whose write had no answer are kept before they are written again.
    const failed = () => unwritten.keepRecords(records);
    const written = await untilKnown({ pause: ctx.pause, failed }, () =>
      writeDeliveries(ctx.databaseOf(workspaceId), records, intents),
    );
    for (const [i, output] of written.recorded.entries()) askedRecords[i]?.resolve(output);
    for (const [i, output] of written.intents.entries()) askedIntents[i]?.resolve(output);
  }
}

/** Whether a record proves that the network has a post, a thread part, or a draft. */
const isProof = ({ decision }: DeliveryRecord): boolean => decision.live !== undefined;

const getInput = <In>({ input }: { input: In }): In => input;
