// X: long posts of paying accounts, tagged accounts, and warnings about files.
import { describe, expect, it } from "vitest";
import { applyTier } from "../../src/domain/posts/tier.ts";
import { x } from "../../src/networks/x/index.ts";
import { fault, ledger, png, prepareOnce, publication, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { account, prepareKey } from "./x-account.ts";

withSimulators();

const accepted = (text: string, files = 0) => ({ text, files, options: {} });

describe("a long post on X", () => {
  const text = `${"Long & wide. ".repeat(200)}https://example.com/end`;

  it("is possible for a paying account only, which connecting finds out", async () => {
    const [premium, free] = [await account(unique("premium_")), await account()];
    expect([premium.connected.tier, free.connected.tier]).toEqual(["premium", "free"]);
    expect([premium, free].map(({ connected }) => applyTier(x.rule, connected.tier ?? null).text_limit)).toEqual([
      25_000, 280,
    ]);
    const post = publication(text);
    const refused = await x.publish(post, await prepareOnce(x, post, free.context), free.context);
    expect(refused).toMatchObject({ is: "rejected", error: "content_refused" });
    expect((await x.publish(post, await prepareOnce(x, post, premium.context), premium.context)).is).toBe("live");
    expect(await ledger(simulators, premium.name)).toMatchObject([{ text }]);
  });

  it("is found again by its whole text after a lost answer, and compared with it later", async () => {
    const { name, context } = await account(unique("premium_"));
    const post = publication(text);
    const publishKey = await prepareOnce(x, post, context);
    await fault(simulators, { platform: "x", account: name, call: "tweets/create", do: "reset_after_accept" });
    expect((await x.publish(post, publishKey, context)).is).toBe("unknown");
    const found = (await x.reconcile?.(publishKey, context)) ?? expect.fail("X cannot be asked");
    const [entry] = await ledger(simulators, name);
    expect(found).toMatchObject({ is: "live", id: entry?.id });
    const published = { id: entry?.id ?? "", publishKey };
    expect(await x.recheck(published, context, accepted(text))).toMatchObject({ is: "there", altered: [] });
    expect(await x.recheck(published, context, accepted(`Not ${text}`))).toMatchObject({ altered: ["text"] });
  });
});

describe("files on X", () => {
  it("tag accounts by their names, and warn of what they show beside their alt text", async () => {
    const { name, context } = await account();
    const options = { tagged_users: ["@Ada", "bob"], sensitive: ["graphic_violence", "other"] };
    const post = publication("tagged", { media: [png(0, "a picture"), png(1)], options });
    expect((await x.publish(post, await prepareKey(post, context), context)).is).toBe("live");
    const [entry] = await ledger(simulators, name);
    expect(entry?.shown.facts).toEqual({ Tagged: "@Ada · @bob", Warning: "graphic violence · other" });
    expect(entry?.media.map(({ alt }) => alt)).toEqual(["a picture", null]);
  });

  it("are not sent if a tagged account does not exist", async () => {
    const { context, io } = await account();
    const post = publication("tagged", { media: [png()], options: { tagged_users: ["ada", "nobody_1"] } });
    expect(await x.prepare(post, context, null, async () => {})).toMatchObject({
      is: "rejected",
      error: "content_refused",
      detail: expect.stringContaining("@nobody_1"),
    });
    expect(io.calls.some(({ url }) => url.includes("media/upload"))).toBe(false);
  });
});
