// Instagram accounts that are linked to a Page and connected by Facebook Login: they publish in the same way, and may do more.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { listForeignOptions } from "../../src/domain/posts/tier.ts";
import { instagram } from "../../src/networks/instagram/index.ts";
import { type ConnectedAccount, makeIOWithClock, prepareKey } from "./containers.ts";
import { post } from "./instagram-post.ts";
import { fault, jpeg, ledger, makeIO, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

async function connect(fields: object = {}, handle = unique("linked")) {
  const { io, pass } = makeIOWithClock(simulators, "instagram");
  const connected = await instagram.connect({ access_token: `EAAuser-for-${handle}`, ...fields }, io);
  return { connected, handle, io, pass };
}

async function connectLinked(): Promise<ConnectedAccount> {
  const { connected, handle, io, pass } = await connect();
  if (connected.is !== "connected") return expect.fail(JSON.stringify(connected));
  expect(connected).toMatchObject({ handle, tier: "facebook_login", tokenExpiresAt: null });
  return { handle, context: { credential: connected.credential, io }, calls: io.calls, pass };
}

async function publish(options: Record<string, Json>, connection: ConnectedAccount) {
  const newPost = await post([jpeg(0)], { options }, "linked");
  const publishKey = await prepareKey(instagram, newPost, connection);
  const outcome = await instagram.publish(newPost, publishKey, connection.context);
  return { outcome, publishKey };
}

describe("an Instagram account connected by Facebook Login", () => {
  it("publishes with the token of its Page, at Facebook's host", async () => {
    const connection = await connectLinked();
    const { outcome } = await publish({ paid_partnership: true, sponsors: ["17841400000000001"] }, connection);
    expect(outcome.is).toBe("live");
    const [entry] = await ledger(simulators, connection.handle);
    expect(entry?.shown.facts).toEqual({ Partnership: "17841400000000001" });
  });

  it("takes a post down, which Instagram Login may not", async () => {
    const connection = await connectLinked();
    const { outcome, publishKey } = await publish({}, connection);
    const published = { id: outcome.is === "live" ? outcome.id : "", publishKey };
    expect(await instagram.takeDown?.(published, connection.context)).toEqual({ is: "taken_down" });
    expect((await ledger(simulators, connection.handle))[0]?.deleted).toBe(true);
    expect(await instagram.recheck(published, connection.context)).not.toMatchObject({ is: "there" });
  });

  it("is told apart by its tier, whose options others do not have", () => {
    const { tiers } = instagram.rule;
    expect(listForeignOptions(tiers, "facebook_login")).toEqual([]);
    for (const tier of ["instagram_login", null])
      expect(listForeignOptions(tiers, tier)).toEqual(["paid_partnership", "sponsors"]);
    expect([tiers?.facebook_login?.takedown, instagram.rule.takedown]).toEqual([true, false]);
  });

  it("keeps its token, which nothing can renew, until Facebook refuses it", async () => {
    const { context, handle } = await connectLinked();
    expect(instagram.refreshAt?.(context.credential)).toBeNull();
    expect(await instagram.refresh?.(context)).toMatchObject({ is: "fresh" });
    await fault(simulators, { platform: "instagram", account: handle, expire_token: true });
    expect(await instagram.refresh?.(context)).toMatchObject({ is: "rejected", error: "token_revoked" });
  });

  it("is refused with the field that is wrong", async () => {
    expect((await connect({ account_id: "17841400000000009" })).connected).toMatchObject({
      is: "credentials_refused",
      field: "/account_id",
    });
    const unknown = await instagram.connect({ access_token: "EAAnonsense" }, makeIO(simulators, "instagram"));
    expect(unknown).toMatchObject({ is: "credentials_refused", field: "/access_token" });
  });
});
