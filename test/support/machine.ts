// The delivery machine's triggers by hand: a queue message, the sweeper, a database that breaks off.
import { createExecutionContext, createMessageBatch, runDurableObjectAlarm } from "cloudflare:test";
import type { Env } from "../../src/env.ts";
import worker from "../../src/index.ts";
import { SWEEPER } from "../../src/publishing/sweeper.ts";
import { testEnv } from "./env.ts";
import { type Account, age, type ChannelBody, getPost, type PostBody, post } from "./world.ts";

export const DAY_MS = 86_400_000;
export const MINUTE_MS = 60_000;
/** Far enough that no alarm rings by itself. */
export const tomorrow = () => new Date(Date.now() + DAY_MS).toISOString();

export const FINISHED = ["published", "partially_published", "failed", "cancelled"];

/** A post for one channel whose time has come, and that nothing has touched yet. */
export async function duePost(account: Account, channel: ChannelBody, body: object = {}): Promise<PostBody> {
  const made = await post(account.key, { text: "once", channels: [channel.id], publish_at: tomorrow(), ...body });
  await age(made.id, DAY_MS);
  return made;
}

/** Hands the worker queue messages that say that a channel has work, all at once. */
export async function deliverMessage(
  workspace: string,
  channel: string,
  copies = 1,
  env: Env = testEnv,
): Promise<void> {
  const messages = Array.from({ length: copies }, (_, i) => ({
    id: `message-${i}`,
    timestamp: new Date(),
    attempts: 1,
    body: { kind: "channel", workspace, channel },
  }));
  await Promise.all(
    messages.map((message) => worker.queue(createMessageBatch("crier", [message]), env, createExecutionContext())),
  );
}

/** Has the sweeper look now. */
export async function sweepNow(): Promise<void> {
  const sweeper = testEnv.SWEEPER.getByName(SWEEPER);
  await sweeper.ensure();
  await runDurableObjectAlarm(sweeper);
}

/** The post once it has finished; time passes for it, ten minutes at a time, and messages come, for two hours at most. */
export async function finishedInTime(workspace: string, key: string, id: string): Promise<PostBody> {
  for (let i = 0; i < 12; i++) {
    const found = await getPost(key, id);
    if (FINISHED.includes(found.status)) return found;
    await age(id, 10 * MINUTE_MS);
    for (const { channel } of found.deliveries) await deliverMessage(workspace, channel);
  }
  return getPost(key, id);
}

export interface Break {
  /** Which of its calls goes wrong, from 1. */
  call: number;
  /** Whether it had been carried out. */
  committed: boolean;
  /** Whether all later calls fail too: whoever made them is dead. */
  forGood: boolean;
}

/** A binding that works as `real` does until it breaks off. `calls` counts. */
export function breakingDatabase(real: D1Database, plan: Break): { db: D1Database; use: { calls: number } } {
  const use = { calls: 0 };
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const carryOut = async <Answer>(act: () => Promise<Answer>): Promise<Answer> => {
    use.calls++;
    const breaks = use.calls === plan.call;
    if (breaks && plan.committed) await act();
    if (breaks || (plan.forGood && use.calls > plan.call)) throw new Error("Network connection lost.");
    return act();
  };
  const prepared = (statement: D1PreparedStatement): D1PreparedStatement => {
    const breaking = new Proxy(statement, {
      get(target, name) {
        switch (name) {
          case "bind":
            return (...values: unknown[]) => prepared(target.bind(...values));
          case "all":
            return () => carryOut(() => target.all());
          case "run":
            return () => carryOut(() => target.run());
          case "raw":
            return () => carryOut(() => target.raw());
          default:
            throw new Error(`${String(name)} does not break`);
        }
      },
    });
    originals.set(breaking, statement);
    return breaking;
  };
  const db = new Proxy(real, {
    get(target, name) {
      switch (name) {
        case "prepare":
          return (sql: string) => prepared(target.prepare(sql));
        case "batch":
          return (statements: D1PreparedStatement[]) =>
            carryOut(() => target.batch(statements.map((statement) => originals.get(statement) ?? statement)));
        default:
          throw new Error(`${String(name)} does not break`);
      }
    },
  });
  return { db, use };
}
