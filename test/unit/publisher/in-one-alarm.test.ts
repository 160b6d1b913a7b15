// A publisher publishes the parts of a thread, and the work after a post, in one alarm.
import { and, eq, ne, or } from "drizzle-orm";
import { expect, it, vi } from "vitest";
import type { Json } from "../../../src/domain/json.ts";
import { Publisher } from "../../../src/publisher/publisher.ts";
import { deliveries } from "../../../src/store/db/schema.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { nodeContext, nodeNetworkIO } from "../../support/node-context.ts";
import { followedDelivery } from "../follow-up/followed-delivery.ts";
import { CREDENTIAL } from "../follow-up/on-x.ts";
import { db, MINUTE, NOW } from "../store/deliveries/stored-delivery.ts";

const DUE = {
  state: "pending",
  nextAt: NOW - MINUTE,
  checkAt: null,
  netPostId: null,
  url: null,
  publishedAt: null,
} as const;

/** Fires the alarm of a lane with one due delivery to X. Returns the texts that X received, the delivery and the next alarm. */
async function publish(options: Record<string, Json>) {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  const texts: string[] = [];
  const fetch = async (_url: string, init?: RequestInit) => {
    if (init?.method !== "POST") return Response.json({ data: [] });
    const { text, reply } = JSON.parse(String(init.body));
    texts.push(`${text}${reply === undefined ? "" : ` under ${reply.in_reply_to_tweet_id}`}`);
    return Response.json({ data: { id: String(100 + texts.length), text } }, { status: 201 });
  };
  const { key, lane, readRow } = await followedDelivery({
    platform: "x",
    credential: CREDENTIAL,
    columns: DUE,
    options,
  });
  const isOther = or(ne(deliveries.postId, key.postId), ne(deliveries.channelId, key.channelId));
  await db
    .update(deliveries)
    .set({ state: "cancelled", nextAt: null })
    .where(and(eq(deliveries.workspaceId, key.workspaceId), isOther));
  const storage = memoryStorage();
  const io = nodeNetworkIO(() => NOW, fetch);
  const later: Promise<unknown>[] = [];
  const publisher = new Publisher(storage, () =>
    nodeContext(db, NOW, {
      networkIO: () => io,
      pause: () => new Promise<void>((go) => void setImmediate(go)),
      later: (work) => void later.push(work),
    }),
  );
  await publisher.arm(lane, NOW);
  await storage.deleteAlarm();
  await publisher.alarm();
  await Promise.all(later);
  vi.useRealTimers();
  return { texts, row: await readRow(), alarmAt: storage.alarmAt };
}

it("the parts of a thread are published as replies to each other in one alarm", async () => {
  const { texts, row, alarmAt } = await publish({ thread: [{ text: "more" }, { text: "most" }] });
  expect(texts).toEqual(["once", "more under 101", "most under 102"]);
  expect([row.state, alarmAt]).toEqual(["live", null]);
});

it("the first comment is published in the same alarm as its post", async () => {
  const { texts, row } = await publish({ first_comment: "hello" });
  expect(texts).toEqual(["once", "hello under 101"]);
  expect(row).toMatchObject({ state: "live", work: { first_comment: { state: "done" } } });
});
