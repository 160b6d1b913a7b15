// The meaning of each refusal of Pinterest.
import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../../src/networks/pinterest/errors.ts";
import { pinterest } from "../../src/networks/pinterest/index.ts";
import { fault, ledger, makeIO, mp4, prepareOnce, unique } from "./network-io.ts";
import { account, OPTIONS, pin, refuse } from "./pinterest-account.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

describe("Pinterest's error catalogue", () => {
  it.each(CATALOGUE.map((entry) => [entry.status ?? 400, entry.code ?? 7, entry.means] as const))(
    "gives the documented meaning to %i/%i",
    async (status, code, means) => {
      const { name, context } = await account();
      const post = await pin();
      const publishKey = await prepareOnce(pinterest, post, context);
      await refuse(name, "pins/create", status, { code, message: "the network's words" });
      const outcome = await pinterest.publish(post, publishKey, context);
      expect(outcome).toMatchObject({ is: means.is, networkMessage: `the network's words (${code})` });
      if ("error" in means) expect(outcome).toMatchObject({ error: means.error });
    },
  );

  it.each([1, 235, 2787])("retries a pin after the temporary code %i", async (code) => {
    const { name, context } = await account(`passing_${code}`);
    const post = await pin();
    const publishKey = await prepareOnce(pinterest, post, context);
    expect((await pinterest.publish(post, publishKey, context)).is).toBe("retryable");
    expect((await pinterest.publish(post, publishKey, context)).is).toBe("live");
    expect(await ledger(simulators, name)).toHaveLength(1);
  });

  it("reports a missing permission for an app with trial access", async () => {
    const { context } = await account("trial");
    const post = await pin();
    const publishKey = await prepareOnce(pinterest, post, context);
    expect(await pinterest.publish(post, publishKey, context)).toMatchObject({
      is: "rejected",
      error: "permission_missing",
      detail: expect.stringContaining("Request Standard access"),
    });
  });

  it("treats a block for spam as a rejection with the network's reason, and a quota as temporary", async () => {
    const { name, context } = await account();
    const post = await pin({ options: { ...OPTIONS, link: "https://spam.example/" } });
    const publishKey = await prepareOnce(pinterest, post, context);
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

  it("does not mistake a block for spam for an invalid token", async () => {
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

  it("waits as long as the longest rate limit window", async () => {
    const { name, context } = await account();
    const post = await pin();
    const publishKey = await prepareOnce(pinterest, post, context);
    await refuse(name, "pins/create", 429, { code: 8, message: "slow down" }, { "x-ratelimit-reset": "7, 90" });
    const outcome = await pinterest.publish(post, publishKey, context);
    if (outcome.is !== "retryable") return expect.fail(outcome.is);
    expect((outcome.notBefore ?? 0) - Date.now()).toBeGreaterThan(80_000);
  });

  it("waits as long as Retry-After if no window is named", async () => {
    const { name, context } = await account();
    const now = Date.now();
    const still = { ...context, io: { ...context.io, now: () => now } };
    const post = await pin();
    const publishKey = await prepareOnce(pinterest, post, still);
    await refuse(name, "pins/create", 429, { code: 8, message: "slow down" }, { "retry-after": "900" });
    expect(await pinterest.publish(post, publishKey, still)).toMatchObject({ notBefore: now + 900_000 });
  });

  it.each([500, 503])(
    "leaves the outcome unknown after a %i, because the pin may have been created",
    async (status) => {
      const { name, context } = await account();
      const post = await pin();
      const publishKey = await prepareOnce(pinterest, post, context);
      await refuse(name, "pins/create", status, {});
      expect((await pinterest.publish(post, publishKey, context)).is).toBe("unknown");
    },
  );
});
