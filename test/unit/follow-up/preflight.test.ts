// Whether deliveries that still wait would go out: what would make them fail is told while there is time to fix it.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/domain/limits.ts";
import { preflight } from "../../../src/follow-up/preflight.ts";
import { events } from "../../../src/store/db/schema.ts";
import { db, NOW } from "../store/deliveries/stored-delivery.ts";
import { followedDelivery } from "./followed-delivery.ts";
import { CREDENTIAL } from "./on-x.ts";

const DUE_AT = NOW + HOUR_MS;
const WAITING = {
  state: "pending",
  nextAt: DUE_AT,
  checkAt: null,
  netPostId: null,
  url: null,
  publishedAt: null,
} as const;
type Parts = NonNullable<Parameters<typeof followedDelivery>[0]>;

/** Judges a delivery that comes due in an hour, each time for one of these leads; returns the events of its workspace. */
async function judged({ columns, ...parts }: Parts = {}, leads = [60]) {
  const followed = await followedDelivery({
    platform: "x",
    credential: CREDENTIAL,
    ...parts,
    columns: { ...WAITING, ...columns },
  });
  await followed.addWebhook("wh_1", { events: ["delivery.at_risk"] });
  for (const minutes of leads)
    await preflight(followed.tools, followed.lane, { kind: "preflight", channel: "ch_1", posts: ["post_1"], minutes });
  const rows = await db.select().from(events).where(eq(events.workspaceId, followed.key.workspaceId));
  return { ...followed, rows, bodies: rows.map(({ body }) => JSON.parse(body)) };
}

describe("a delivery that would go out", () => {
  it("is told of to nobody", async () => {
    const { rows, woken } = await judged();
    expect([rows, woken]).toEqual([[], []]);
  });

  it("is told of to nobody once it is not waiting any more", async () => {
    const channel = { removedAt: NOW };
    expect((await judged({ channel, columns: { state: "cancelled", nextAt: null } })).rows).toEqual([]);
  });
});

describe("a delivery that would fail", () => {
  it("is told of once for each lead, to the endpoints that want it", async () => {
    const { key, rows, bodies, woken } = await judged({ channel: { removedAt: NOW } }, [60, 60, 10]);
    expect(rows).toMatchObject([
      { event: "delivery.at_risk", postId: "post_1", channelId: "ch_1" },
      { event: "delivery.at_risk", postId: "post_1", channelId: "ch_1" },
    ]);
    expect(bodies[0]).toMatchObject({ error: "channel_disconnected" });
    expect(JSON.stringify(bodies[0])).toContain("the channel will not be connected when its time comes");
    expect(woken).toEqual([1, 2].map(() => [key.workspaceId, "wh_1"]));
  });

  it("because its credential ends before its time is told of, and one that ends after is not", async () => {
    const ends = await judged({ channel: { tokenExpiresAt: DUE_AT } });
    expect(ends.bodies).toMatchObject([{ error: "token_expired" }]);
    expect((await judged({ channel: { tokenExpiresAt: DUE_AT + 1 } })).bodies).toEqual([]);
  });

  it("because its channel is to be left alone until after its time is told of", async () => {
    const rests = await judged({ channel: { notBefore: DUE_AT + 1 } });
    expect(rests.bodies).toMatchObject([{ error: "network_quota" }]);
    expect((await judged({ channel: { notBefore: DUE_AT } })).bodies).toEqual([]);
  });

  it("because its network may no longer answer the version of its API is told of", async () => {
    const { bodies } = await judged({ platform: "linkedin", columns: { nextAt: Date.parse("2027-09-15") } });
    expect(bodies).toMatchObject([
      { error: "service_misconfigured", detail: expect.stringContaining("version 202609") },
    ]);
  });

  it("because this deployment has no such network is told of", async () => {
    expect((await judged({ platform: "myspace" })).bodies).toMatchObject([{ error: "service_misconfigured" }]);
  });

  it("because its network refuses the credential is told of, with the loss of the credential", async () => {
    const credential = { ...CREDENTIAL, refresh_token: "r", expires_at: NOW };
    const fetch = async () => Response.json({ error: "invalid_grant" }, { status: 400 });
    const { rows } = await judged({ credential, fetch });
    expect(rows.map(({ event }) => event).toSorted()).toEqual(["channel.disconnected", "delivery.at_risk"]);
  });

  it("only because its network does not answer now is told of to nobody", async () => {
    const credential = { ...CREDENTIAL, refresh_token: "r", expires_at: NOW };
    const { rows } = await judged({ credential, fetch: async () => new Response("away", { status: 503 }) });
    expect(rows).toEqual([]);
  });
});
