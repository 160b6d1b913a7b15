// Bugs in the publisher object: its alarm, connections and batches, the facts that only it knows, the renewal of credentials,
// and its recovery from work that ends it.
import { sql } from "drizzle-orm";
import { into } from "../planting.ts";
import { refusalsAreFinal, retryAfterIsIgnored } from "./domain.ts";
import type { Mutants } from "./mutant.ts";
import { postsGoOutAtOnce } from "./store.ts";

const overdueAlarm = into<typeof import("../../../src/domain/alarm.ts")>("src/domain/alarm.ts");
const alarm = into<typeof import("../../../src/publisher/alarm.ts")>("src/publisher/alarm.ts");
const publisher = into<typeof import("../../../src/publisher/publisher.ts")>("src/publisher/publisher.ts");
const starts = into<typeof import("../../../src/publisher/starts.ts")>("src/publisher/starts.ts");
const limiter = into<typeof import("../../../src/delivery/connection-limiter.ts")>(
  "src/delivery/connection-limiter.ts",
);
const unwritten = into<typeof import("../../../src/delivery/unwritten.ts")>("src/delivery/unwritten.ts");
const publishKeys = into<typeof import("../../../src/delivery/publish-key.ts")>("src/delivery/publish-key.ts");
const credentials = into<typeof import("../../../src/delivery/credentials.ts")>("src/delivery/credentials.ts");
const deliver = into<typeof import("../../../src/delivery/deliver.ts")>("src/delivery/deliver.ts");
const channelCredentials = into<typeof import("../../../src/store/channels/credentials.ts")>(
  "src/store/channels/credentials.ts",
);
const queue = into<typeof import("../../../src/delivery/queue-consumer.ts")>("src/delivery/queue-consumer.ts");
const faults = into<typeof import("../../../src/domain/database-fault.ts")>("src/domain/database-fault.ts");
const until = into<typeof import("../../../src/store/db/until-known.ts")>("src/store/db/until-known.ts");
const calls = into<typeof import("../../../src/adapters/webhook-call.ts")>("src/adapters/webhook-call.ts");
const followUps = into<typeof import("../../../src/publisher/follow-ups.ts")>("src/publisher/follow-ups.ts");

const sealed = into<typeof import("../../../src/store/sealed.ts")>("src/store/sealed.ts");

const nobodySetsTheAlarm = alarm(
  "Alarm",
  (Alarm) =>
    class extends Alarm {
      override async setBy(): Promise<void> {}
    },
);
const RENEWALS = "a renewed credential of";

export const OF_PUBLISHER: Mutants = {
  "nobody sets the alarm": { injections: [nobodySetsTheAlarm] },
  "the alarm is not set again after a run": {
    injections: [
      publisher(
        "Publisher",
        (Publisher) =>
          class extends Publisher {
            readonly #stop: () => Promise<void>;
            constructor(...input: ConstructorParameters<typeof Publisher>) {
              super(...input);
              this.#stop = () => input[0].deleteAlarm();
            }
            override async alarm(): Promise<void> {
              await super.alarm();
              await this.#stop();
            }
          },
      ),
    ],
  },
  "the alarm is only ever moved away": {
    injections: [
      alarm(
        "Alarm",
        (Alarm) =>
          class extends Alarm {
            override setBy(at: number): Promise<void> {
              return super.setBy(at + 60_000);
            }
          },
      ),
    ],
  },
  "an alarm that is overdue is waited for": {
    scenarios: "ring up to five minutes late",
    injections: [overdueAlarm("isOverdue", () => () => false)],
  },
  "an alarm is set for the present instant while another is handled": {
    scenarios: "fifty sends",
    injections: [overdueAlarm("toAlarmTime", () => (dueAt) => dueAt)],
  },
  "the rest of a channel's queue waits for the next try of the delivery that was told to wait": {
    scenarios: "to wait for a second, at a post",
    injections: [
      deliver("deliver", (deliver) => async (...input) => {
        const delivered = await deliver(...input);
        const { channelNotBefore, nextAt = null } = delivered?.record.decision ?? {};
        if (delivered === null || channelNotBefore === undefined || nextAt === null) return delivered;
        const { record, recorded } = delivered;
        const decision = { ...record.decision, channelNotBefore: nextAt };
        return { record: { ...record, decision }, recorded };
      }),
    ],
  },
  "no alarm, everything at once, no second try, no Retry-After": {
    injections: [nobodySetsTheAlarm, postsGoOutAtOnce, refusalsAreFinal, retryAfterIsIgnored],
  },
  "connections are not shared out": {
    scenarios: "Telegram hangs",
    injections: [
      limiter(
        "ConnectionLimiter",
        (ConnectionLimiter) =>
          class extends ConnectionLimiter {
            override use<Result>(_need: unknown, work: () => Promise<Result>): Promise<Result> {
              return work();
            }
          },
      ),
    ],
  },
  "starts without an end are not counted": {
    scenarios: "ends its process whenever",
    injections: [
      starts(
        "Starts",
        (Starts) =>
          class extends Starts {
            override get isCareful(): boolean {
              return false;
            }
          },
      ),
    ],
  },
  "nothing is ever given up": {
    scenarios: "ends its process whenever",
    injections: [
      starts(
        "Starts",
        (Starts) =>
          class extends Starts {
            override isHopeless(): boolean {
              return false;
            }
          },
      ),
    ],
  },
  "everything is given up after the first start": {
    injections: [
      starts(
        "Starts",
        (Starts) =>
          class extends Starts {
            override isHopeless(): boolean {
              return true;
            }
          },
      ),
    ],
  },
  "what the database did not take is forgotten": {
    scenarios: "the database is away",
    injections: [
      unwritten(
        "Unwritten",
        (Unwritten) =>
          class extends Unwritten {
            override keepRecords(): void {}
          },
      ),
    ],
  },
  "what waits for the database is never written": {
    scenarios: "the database is away",
    injections: [
      unwritten(
        "Unwritten",
        (Unwritten) =>
          class extends Unwritten {
            override async flush(): Promise<[]> {
              return [];
            }
          },
      ),
    ],
  },
  "a send that never left is forgotten": {
    scenarios: "the database is away",
    injections: [
      unwritten(
        "Unwritten",
        (Unwritten) =>
          class extends Unwritten {
            override keepUnsent(): void {}
          },
      ),
    ],
  },
  "a renewed credential is not kept before its first use": {
    scenarios: "credential meets a database that is away, and",
    injections: [
      unwritten(
        "Unwritten",
        (Unwritten) =>
          class extends Unwritten {
            override keepCredential(): void {}
          },
      ),
    ],
  },
  "a lost write of a credential loses it": {
    scenarios: RENEWALS,
    injections: [
      channelCredentials("storeCredential", (store) => (db, renewed) => store(db, renewed).catch(() => true)),
      unwritten(
        "Unwritten",
        (Unwritten) =>
          class extends Unwritten {
            override renewedCredential(): null {
              return null;
            }
          },
      ),
    ],
  },
  "a renewed credential is never stored": {
    scenarios: "credential meets a database that is away, and",
    injections: [channelCredentials("storeCredential", () => async () => true)],
  },
  "a credential that is sealed again is taken for another one": {
    scenarios: "sealing keys are rotated",
    injections: [
      sealed("replaceSealed", (replace) => async (db, kind, row, resealed) => {
        await replace(db, kind, row, resealed);
        const { workspaceId, id } = row;
        const isIts = sql`workspace_id = ${workspaceId} AND id = ${id}`;
        if (kind === "channel-credential")
          await db.run(sql`UPDATE channels SET credential_id = ${resealed} WHERE ${isIts}`);
      }),
    ],
  },
  "a database without an answer is never asked again": {
    scenarios: "fifty posts on",
    injections: [until("untilKnown", () => async (_asking, act) => act())],
  },
  "a result code of SQLite throws away what the network said": {
    scenarios: "the network has answered, and the database says",
    injections: [
      faults("wasRefused", (wasRefused) => (error) => wasRefused(error) || /SQLITE_/.test(String(error))),
      unwritten(
        "Unwritten",
        (Unwritten) =>
          class extends Unwritten {
            override keepRecords(): void {}
          },
      ),
    ],
  },
  "a channel that is gone is not noticed": {
    injections: [credentials("whyNotPublishable", () => () => null)],
  },
  "a publish key is forgotten": {
    only: ["bluesky", "threads"],
    injections: [publishKeys("sealPublishKey", (seal) => (ctx, delivery) => seal(ctx, delivery, null))],
  },
  "what is given up is said to have failed though it may be out": {
    scenarios: "ends its process after each call",
    injections: [
      deliver(
        "giveUp",
        (giveUp) => (tools, due) =>
          giveUp(tools, { ...due, delivery: { ...due.delivery, state: "staged", hasOpenSend: false } }),
      ),
    ],
  },
  "messages are acknowledged and wake nobody": {
    scenarios: "every alarm of a workspace",
    injections: [
      queue("wakePublishers", () => async (_ctx, batch) => {
        for (const message of batch.messages) message.ack();
      }),
    ],
  },
  "an endpoint that does not answer has heard": {
    injections: [
      calls("callWebhook", (call) => async (...input) => {
        const answer = await call(...input);
        return { ...answer, outcome: "delivered" as const };
      }),
    ],
  },
  "follow-ups are dropped": {
    scenarios: "taken off its network",
    injections: [
      followUps(
        "FollowUps",
        (FollowUps) =>
          class extends FollowUps {
            override add(): void {}
          },
      ),
    ],
  },
};
