// The worker that a run kills and starts again on the state that it left, after an outage of a given length.
import { startWorker, type WorkerProcess } from "../../../scripts/local/worker-process.ts";
import { passTime, sendsUnderWay } from "./outage.ts";
import { getAccountKey } from "./verdict.ts";

export class Victim {
  kills = 0;
  /** Sends that a kill interrupted, with their networks and accounts. */
  readonly sendsCutOff = new Map<string, string>();
  readonly #options: { port: number; sandboxUrl: string; stateFolder: string };
  readonly #outages: { at: number; ms: number }[] = [];
  #worker: WorkerProcess | undefined;
  #starting: Promise<WorkerProcess> | undefined;
  #ended = false;

  constructor(options: { port: number; sandboxUrl: string; stateFolder: string }) {
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#ended) throw new Error("the run has ended");
    this.#starting = startWorker(this.#options);
    this.#worker = await this.#starting;
  }

  /** Kills all processes of the worker. */
  async kill(): Promise<void> {
    await this.#worker?.kill();
    this.#worker = undefined;
  }

  /** Like `kill`, but also for a worker that is being started. No other worker can be started afterwards. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#starting?.then((worker) => worker.kill()).catch(() => {});
  }

  /** Kills the worker, lets as much time pass as `lasts` returns for its state, and starts it again. */
  async outage(lasts: () => number | Promise<number>): Promise<void> {
    await this.kill();
    this.kills++;
    const { stateFolder } = this.#options;
    for (const { name, ...send } of await sendsUnderWay(stateFolder)) this.sendsCutOff.set(name, getAccountKey(send));
    const ms = await lasts();
    this.#outages.push({ at: Date.now(), ms });
    if (ms > 0) await passTime(stateFolder, ms);
    await this.start();
  }

  /** How many milliseconds outages had added to the machine's clock by an instant. */
  passedBy(atMs: number): number {
    return this.#outages.reduce((sum, outage) => (outage.at <= atMs ? sum + outage.ms : sum), 0);
  }
}
