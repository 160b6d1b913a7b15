// The queue. Messages arrive late, twice, out of order or never. Consumers are few, and another one starts only after a batch
// has ended.
import type { Context } from "../../src/context.ts";
import { consumeDeadLetters } from "../../src/maintenance/dead-letters.ts";
import { CONSUMERS_MAX, QUEUE_RETRIES } from "./limits.ts";
import type { World } from "./world.ts";

const MINUTE = 60_000;

interface Message {
  id: string;
  body: unknown;
  attempts: number;
}

export interface QueueShape {
  /** As in wrangler.toml. */
  name: string;
  batchMax: number;
  consume(ctx: Context, batch: MessageBatch<unknown>): Promise<void>;
  inOrder: boolean;
}

export class SimulatedQueue {
  readonly #world: World;
  readonly #shape: QueueShape;
  readonly #inOrder: boolean;
  #messages = 0;
  #inbox: Message[] = [];
  /** Messages that are on their way, waiting or being consumed. */
  underway = 0;
  #consumers = 1;
  #working = 0;

  constructor(world: World, shape: QueueShape) {
    this.#world = world;
    this.#shape = shape;
    this.#inOrder = shape.inOrder;
  }

  send(jobs: readonly unknown[]): void {
    const { chance } = this.#world;
    for (const body of jobs) this.#post(body);
    if (this.#world.strikes("queue_strange"))
      this.#post(chance.pick<unknown>([null, "x", { kind: "delivery", id: "dlv_1" }, { kind: "publish" }, 7]));
  }

  #post(body: unknown): void {
    const world = this.#world;
    const { chance } = world;
    const message = { id: `m${++this.#messages}`, body, attempts: 0 };
    const workspace = findWorkspace(body);
    if (world.strikes("queue_lost", { workspace })) return;
    const usual = () => (this.#inOrder || world.isPrompt ? 0 : chance.pick([0, 0, 0, chance.between(1, 200)]));
    const slow = world.strikes("queue_slow", { workspace }) ? chance.between(500, 20_000) : 0;
    if (slow > 0) world.lastInjected.ms = slow;
    this.#deliverLater(message, usual() + slow);
    if (world.strikes("queue_twice")) this.#deliverLater({ ...message }, usual());
    if (world.strikes("queue_much_later")) this.#deliverLater({ ...message }, chance.between(MINUTE, 5 * 60 * MINUTE));
  }

  #deliverLater(message: Message, ms: number): void {
    this.underway++;
    this.#world.after(ms, () => {
      this.#inbox.push(message);
      if (this.#inbox.length === 1) this.#world.after(0, () => this.#deliver());
    });
  }

  #deliver(): void {
    const world = this.#world;
    if (this.#inbox.length === 0 || this.#working >= this.#consumers) return;
    if (world.now() < world.outageUntil) {
      world.scheduler.at(world.outageUntil, () => this.#deliver());
      return;
    }
    const most = Math.min(this.#shape.batchMax, this.#inbox.length);
    const messages = this.#inbox.splice(0, this.#inOrder || world.isPrompt ? most : world.chance.between(1, most));
    const unacknowledged = new Set(messages);
    const over = (message: Message, again: number | null) => {
      if (!unacknowledged.delete(message)) return;
      this.underway--;
      if (again === null) return;
      if (message.attempts < QUEUE_RETRIES) this.#deliverLater({ ...message, attempts: message.attempts + 1 }, again);
      else consumeDeadLetters(createBatch("crier-dead-letters", [message], { ack() {}, retry() {} }));
    };
    const batch = createBatch(this.#shape.name, messages, {
      ack: (message) => over(message, world.strikes("queue_unheard") ? 1_000 : null),
      retry: over,
    });
    world.note(`queue delivers ${messages.map(({ id, body }) => `${id} ${JSON.stringify(body)}`).join(", ")}`);
    this.#working++;
    world.processes.spawn(
      "consumer",
      null,
      (ctx) => this.#shape.consume(ctx, batch),
      () => {
        this.#working--;
        for (const message of [...unacknowledged])
          over(message, this.#inOrder ? 1_000 : world.chance.between(0, MINUTE));
        // The platform checks the backlog only after a batch.
        this.#consumers =
          this.#inbox.length > 0 ? Math.min(CONSUMERS_MAX, this.#consumers + 1) : Math.max(1, this.#working);
        for (let i = this.#working; i < this.#consumers; i++) this.#deliver();
      },
    );
    if (this.#working < this.#consumers) this.#deliver();
  }
}

interface Answers {
  ack(message: Message): void;
  retry(message: Message, ms: number): void;
}
const createBatch = (queue: string, messages: Message[], { ack, retry }: Answers): MessageBatch<unknown> => ({
  queue,
  metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } },
  messages: messages.map((message) => ({
    id: message.id,
    timestamp: new Date(),
    body: message.body,
    attempts: message.attempts + 1,
    ack: () => ack(message),
    retry: ({ delaySeconds = 0 } = {}) => retry(message, delaySeconds * 1_000),
  })),
  ackAll() {},
  retryAll() {},
});

function findWorkspace(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("workspace" in body)) return null;
  return typeof body.workspace === "string" ? body.workspace : null;
}
