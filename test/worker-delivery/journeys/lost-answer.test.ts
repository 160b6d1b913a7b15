import { describe, expect, it } from "vitest";
import { connect, fault, finished, ledger, post, signUp } from "../../support/world.ts";

describe("the network accepts a post and the answer is lost", () => {
  it("Bluesky: the post is found by its key, comes back live, and exists exactly once", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "bluesky");
    await fault({
      platform: "bluesky",
      account: channel.handle,
      call: "com.atproto.repo.putRecord",
      do: "reset_after_accept",
    });
    const { id } = await post(key, { text: "once", channels: [channel.id] });
    const done = await finished(key, id);
    expect(done.status).toBe("published");
    expect(done.deliveries[0]).toMatchObject({ status: "live", attempts: 1, guarantee: "exactly_once" });
    const published = await ledger(channel.handle);
    expect(published).toHaveLength(1);
    expect(done.deliveries[0]?.url).toBe(published[0]?.url);
  });

  it("Telegram: nobody can say, so Crier says so, and the post exists exactly once", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    await fault({ platform: "telegram", account: channel.handle, call: "sendMessage", do: "reset_after_accept" });
    const { id } = await post(key, { text: "once", channels: [channel.id] });
    const done = await finished(key, id);
    expect(done.status).toBe("failed");
    expect(done.deliveries[0]).toMatchObject({
      status: "failed",
      attempts: 1,
      error: "outcome_unknown",
      action: "check_network_before_reposting",
      guarantee: "at_most_once",
    });
    expect(await ledger(channel.handle)).toHaveLength(1);
  });
});
