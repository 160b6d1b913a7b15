// Each refusal of Pinterest, and what the connector makes of it.
import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../../src/networks/pinterest/errors.ts";
import { pinterest } from "../../src/networks/pinterest/index.ts";
import { fault, ledger, makeIO, mp4, prepared, unique } from "./network-io.ts";
import { account, OPTIONS, pin, refuse } from "./pinterest-account.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

describe("the catalogue", () => {
  it.each(CATALOGUE.map((entry) => [entry.status ?? 400, entry.code ?? 7, entry.means] as const))(
    "%i/%i",
    async (status, code, means) => {
      const { name, context } = await account();
      const post = await pin();
      const publishKey = await prepared(pinterest, post, context);
      await refuse(name, "pins/create", status, { code, message: "the network's words" });
      const outcome = await pinterest.publish(post, publishKey, context);
      expect(outcome).toMatchObject({ is: means.is, networkMessage: `the network's words (${code})` });
      if ("error" in means) expect(outcome).toMatchObject({ error: means.error });
    },
  );

  it.each([1, 235, 2787])("tries a pin again that is refused with code %i, which passes by itself", async (code) => {
    const { name, context } = await account(`passing_${code}`);
    const post = await pin();
    const publishKey = await prepared(pinterest, post, context);
    expect((await pinterest.publish(post, publishKey, context)).is).toBe("retryable");
    expect((await pinterest.publish(post, publishKey, context)).is).toBe("live");
    expect(await ledger(simulators, name)).toHaveLength(1);
  });

  it("says of an app with trial access that it lacks a permission", async () => {
    const { context } = await account("trial");
    const post = await pin();
    const publishKey = await prepared(pinterest, post, context);
    expect(await pinterest.publish(post, publishKey, context)).toMatchObject({
      is: "rejected",
      error: "permission_missing",
      detail: expect.stringContaining("Request Standard access"),
    });
  });

  it("takes a block for spam for a refusal, with the network's reason, and a quota for what passes", async () => {
    const { name, context } = await account();
    const post = await pin({ options: { ...OPTIONS, link: "https://spam.example/" } });
    const publishKey = await prepared(pinterest, post, context);
    const blocked = {
      is: "rejected",
      error: "content_refused",
      networkMessage: expect.stringContaining("combat spam"),
    };
    expect(await pinterest.publish(post, publishKey, context)).toMatchObject(blocked);
    expect(await ledger(simulators, name)).toEqual([]);
    await refuse(name, "pins/create", 429, { code: 8, message: "You've hit a block to combat spam" });
    expect(await pinterest.publish(post, publishKey, context)).toMatchObject(blocked);
    await refuse(name, "media/create", 429, { code: 8, message: "Blocked", message_detail: "to combat Spam" });
    const video = await pin({ media: [mp4(1_000)] });
    expect(await pinterest.prepare(video, context, null, async () => {})).toMatchObject({ is: "rejected" });
    await refuse(name, "pins/create", 429, { code: 8, message: "slow down", message_detail: null });
    expect(await pinterest.publish(post, publishKey, context)).toMatchObject({ error: "network_quota" });
  });

  it("never takes a block for spam for a token that is none", async () => {
    await fault(simulators, {
      platform: "pinterest",
      call: "user_account/get",
      do: "status",
      status: 429,
      body: { code: 8, message: "Blocked", message_detail: "to combat spam" },
    });
    const input = { access_token: `access-for-${unique("p")}` };
    expect((await pinterest.connect(input, makeIO(simulators, "pinterest"))).is).toBe("retryable");
  });

  it("waits as long as the longest window says", async () => {
    const { name, context } = await account();
    const post = await pin();
    const publishKey = await prepared(pinterest, post, context);
    await refuse(name, "pins/create", 429, { code: 8, message: "slow down" }, { "x-ratelimit-reset": "7, 90" });
    const outcome = await pinterest.publish(post, publishKey, context);
    if (outcome.is !== "retryable") return expect.fail(outcome.is);
    expect((outcome.notBefore ?? 0) - Date.now()).toBeGreaterThan(80_000);
  });

  it("waits as long as Retry-After says where no window is named", async () => {
    const { name, context } = await account();
    const now = Date.now();
    const still = { ...context, io: { ...context.io, now: () => now } };
    const post = await pin();
    const publishKey = await prepared(pinterest, post, still);
    await refuse(name, "pins/create", 429, { code: 8, message: "slow down" }, { "retry-after": "900" });
    expect(await pinterest.publish(post, publishKey, still)).toMatchObject({ notBefore: now + 900_000 });
  });

  it.each([500, 503])("a %i may have created the pin", async (status) => {
    const { name, context } = await account();
    const post = await pin();
    const publishKey = await prepared(pinterest, post, context);
    await refuse(name, "pins/create", status, {});
    expect((await pinterest.publish(post, publishKey, context)).is).toBe("unknown");
  });
});
