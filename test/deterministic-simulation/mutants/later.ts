// Bugs that show a day later or in concurrent work: in retries, lanes, endpoints and renewals.
import { and, eq } from "drizzle-orm";
import { batch } from "../../../src/store/db/batch.ts";
import { NOW } from "../../../src/store/db/db.ts";
import { channels, deliveries, webhookMessages, webhooks } from "../../../src/store/db/schema.ts";
import { into } from "../planting.ts";
import type { Mutants } from "./mutant.ts";

const retrying = into<typeof import("../../../src/store/deliveries/stop-unsent.ts")>(
  "src/store/deliveries/stop-unsent.ts",
);
const attempts = into<typeof import("../../../src/store/webhooks/attempts.ts")>("src/store/webhooks/attempts.ts");
const credentials = into<typeof import("../../../src/store/channels/credentials.ts")>(
  "src/store/channels/credentials.ts",
);
const arming = into<typeof import("../../../src/operations/posts/arm.ts")>("src/operations/posts/arm.ts");
const reading = into<typeof import("../../../src/operations/posts/read-for-check.ts")>(
  "src/operations/posts/read-for-check.ts",
);
const skew = into<typeof import("../../../src/domain/clock-skew.ts")>("src/domain/clock-skew.ts");
const lookUps = into<typeof import("../../../src/follow-up/look-up-options.ts")>("src/follow-up/look-up-options.ts");
const reconciliation = into<typeof import("../../../src/domain/delivery/decide-reconciliation.ts")>(
  "src/domain/delivery/decide-reconciliation.ts",
);
const homes = into<typeof import("../../../src/store/homes.ts")>("src/store/homes.ts");
const channelRows = into<typeof import("../../../src/store/channels/channels.ts")>("src/store/channels/channels.ts");
const feed = into<typeof import("../../../src/operations/events/list.ts")>("src/operations/events/list.ts");
const stored = into<typeof import("../../../src/adapters/stored-inspection.ts")>("src/adapters/stored-inspection.ts");

/** Posts that have been searched for once. */
const looked = new WeakSet<object>();

export const OF_LATER: Mutants = {
  "a retry a day later fails at once with missed_deadline": {
    scenarios: "a day and an hour later",
    injections: [
      retrying("retryFailed", (retry) => async (db, key, confirmed) => {
        const isIt = and(
          eq(deliveries.workspaceId, key.workspaceId),
          eq(deliveries.postId, key.postId),
          eq(deliveries.channelId, key.channelId),
        );
        const { before } = await batch(db, {
          before: db.select({ scheduledFor: deliveries.scheduledFor }).from(deliveries).where(isIt),
        });
        const isRetried = await retry(db, key, confirmed);
        const scheduledFor = before[0]?.scheduledFor;
        if (isRetried && scheduledFor !== undefined) await db.update(deliveries).set({ scheduledFor }).where(isIt);
        return isRetried;
      }),
    ],
  },
  "one endpoint's 410 drops the pending messages of all endpoints": {
    scenarios: "an endpoint is gone for good",
    injections: [
      attempts("recordAttempt", (record) => async (db, webhook, logged, off) => {
        const isOff = await record(db, webhook, logged, off);
        if (off === "gone")
          await db
            .update(webhookMessages)
            .set({ state: "skipped", nextAt: NOW })
            .where(and(eq(webhookMessages.workspaceId, webhook.workspaceId), eq(webhookMessages.state, "pending")));
        return isOff;
      }),
    ],
  },
  "a reconnect is overwritten by an old renewal": {
    scenarios: "is connected again while",
    injections: [
      credentials("storeCredential", () => async (db, { workspaceId, channelId, credentialId, sealed, renewAt }) => {
        await db
          .update(channels)
          .set({ credential: sealed, credentialId, renewAt, updatedAt: NOW })
          .where(and(eq(channels.workspaceId, workspaceId), eq(channels.id, channelId)));
        return true;
      }),
    ],
  },
  "only the first lane of a workspace is woken": {
    scenarios: "more channels than one lane",
    injections: [
      arming("arm", (arm) => (ctx, workspaceId, dueAt, checked) => {
        const targets = checked.targets.filter(({ lane }) => lane === 0);
        return arm(ctx, workspaceId, dueAt, { ...checked, targets });
      }),
    ],
  },
  "a different body under the same key is answered with the winner's post": {
    scenarios: "two posts are asked for under one key",
    injections: [reading("fingerprint", () => async () => "same")],
  },
  "a slow answer of the database is taken for a clock that is wrong": {
    scenarios: "on its way for half a minute",
    injections: [
      skew(
        "correctSkewMs",
        () =>
          (_believed, { answeredAt, shownAt }) =>
            shownAt - answeredAt,
      ),
    ],
  },
  "a bucket that is away is a failure of our own": {
    scenarios: "the bucket is away",
    injections: [stored("fromBucket", () => (answer) => answer)],
  },
  "a list of options is asked for where its workspace no longer is": {
    scenarios: "what a network offers is asked for",
    injections: [
      lookUps("lookUpOptions", (lookUp) => (tools, lane, request) => {
        tools.ctx.homes.note(lane.workspaceId, 0);
        return lookUp(tools, lane, request);
      }),
    ],
  },
  "a list of options is asked for without looking for its workspace": {
    scenarios: "what a network offers is asked for",
    injections: [
      lookUps("lookUpOptions", (lookUp) => (tools, lane, request) => {
        if (!tools.ctx.homes.isSingle) throw new Error("the database of a workspace was not looked for");
        return lookUp(tools, lane, request);
      }),
    ],
  },
  "a repeat under one key is told that its own first call took the last place": {
    scenarios: "takes the last place of a month",
    injections: [
      reading("earlierPost", (find) => async (found, body) => {
        const isSecondLook = looked.has(body);
        looked.add(body);
        return isSecondLook ? null : find(found, body);
      }),
    ],
  },
  "a failure of our own counts as an answer of the network": {
    scenarios: "to ask for a post for the last time",
    injections: [
      reconciliation("decideReconciliation", (decide) => (facts, answer, ...rest) => {
        const isOurs = answer.is === "retryable" && answer.error === "internal_error";
        return decide(facts, isOurs ? { is: "unknown", detail: answer.detail } : answer, ...rest);
      }),
    ],
  },
  "a remembered database is taken for the one that has the workspace": {
    scenarios: "and the accounts are away after that",
    injections: [
      homes("locateFor", (locate) => async (...input) => {
        await locate(...input);
        return true;
      }),
      channelRows("hasChannelRows", () => async () => true),
    ],
  },
  "an endpoint that has recovered is switched off by the attempt beside it": {
    scenarios: "takes one of two calls",
    injections: [
      attempts("recordAttempt", (record) => async (db, webhook, logged, off) => {
        if (off === "failing")
          await db
            .update(webhooks)
            .set({ failingSince: webhook.failingSince })
            .where(and(eq(webhooks.workspaceId, webhook.workspaceId), eq(webhooks.id, webhook.id)));
        return record(db, webhook, logged, off);
      }),
    ],
  },
  "an empty feed has no cursor": {
    scenarios: "begins before the first event",
    injections: [
      feed("listEvents", (list) => async (...input) => {
        const reply = await list(...input);
        const { body } = reply;
        return body === undefined || body.events.length > 0 ? reply : { ...reply, body: { ...body, next: null } };
      }),
    ],
  },
};
