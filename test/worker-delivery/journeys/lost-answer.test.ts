import { describe, expect, it } from "vitest";
import { connect, fault, finished, ledger, post, signUp } from "../../support/world.ts";

describe("posts whose answer is lost", () => {
  it("finds a Bluesky post by its key and reports it live exactly once", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "bluesky");
    await fault({
      platform: "bluesky",
      account: channel.handle,
      call: "com.atproto.repo.putRecord",
      do: "reset_after_accept",
    });
    const { id } = await post(key, { text: "once", channels: [channel.id] });
    const finishedPost = await finished(key, id);
    expect(finishedPost.status).toBe("published");
    expect(finishedPost.deliveries[0]).toMatchObject({ status: "live", attempts: 1, guarantee: "exactly_once" });
    const published = await ledger(channel.handle);
    expect(published).toHaveLength(1);
    expect(finishedPost.deliveries[0]?.url).toBe(published[0]?.url);
  });

  it("reports a Telegram post as unknown, and does not send it again", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    await fault({ platform: "telegram", account: channel.handle, call: "sendMessage", do: "reset_after_accept" });
    const { id } = await post(key, { text: "once", channels: [channel.id] });
    const finishedPost = await finished(key, id);
    expect(finishedPost.status).toBe("failed");
    expect(finishedPost.deliveries[0]).toMatchObject({
      status: "failed",
      attempts: 1,
      error: "outcome_unknown",
      action: "check_network_before_reposting",
      guarantee: "at_most_once",
    });
    expect(await ledger(channel.handle)).toHaveLength(1);
  });
});
