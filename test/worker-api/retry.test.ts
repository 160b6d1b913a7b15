// Sending a failed delivery again.
import { describe, expect, it } from "vitest";
import { call, connect, fault, finished, ledger, type PostBody, post, signUp } from "../support/world.ts";

const REFUSED = { ok: false, error_code: 400, description: "Bad Request: something is wrong with it" };

/** Creates a post on Telegram that fails with this fault. */
async function createFailedPost(faultFields: object) {
  const { key } = await signUp();
  const channel = await connect(key, "telegram");
  await fault({ platform: "telegram", account: channel.handle, call: "sendMessage", ...faultFields });
  const { id } = await post(key, { text: "again", channels: [channel.id] });
  const failedPost = await finished(key, id);
  expect(failedPost.status).toBe("failed");
  const retry = (body: object = {}, path = `/v1/posts/${id}/deliveries/${channel.id}/retry`) =>
    call<PostBody["deliveries"][0] & { error: string }>("POST", path, { token: key, body });
  return { key, id, channel, retry };
}
const refusedFault = { do: "status", status: 400, body: REFUSED };

describe("POST /v1/posts/:id/deliveries/:channel/retry", () => {
  it("a retry sends a refused delivery again, once, however many calls arrive at the same time", async () => {
    const { key, id, channel, retry } = await createFailedPost(refusedFault);
    const answers = await Promise.all(Array.from({ length: 8 }, () => retry()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    const published = await finished(key, id);
    expect(published).toMatchObject({
      status: "published",
      deliveries: [{ status: "live", attempts: 2, error: null }],
    });
    expect(await ledger(channel.handle)).toHaveLength(1);
    expect(await retry()).toMatchObject({ status: 409, body: { error: "delivery_not_retryable" } });
    expect(await ledger(channel.handle)).toHaveLength(1);
  });

  it("a retry needs no body, whatever its content type says", async () => {
    const { key, id, channel } = await createFailedPost(refusedFault);
    const path = `/v1/posts/${id}/deliveries/${channel.id}/retry`;
    expect((await call("POST", path, { token: key, body: "" })).status).toBe(200);
    await finished(key, id);
    expect(await call("POST", path, { token: key })).toMatchObject({ status: 409 });
  });

  it("a retry needs a confirmation if the post may already be published", async () => {
    const { key, id, channel, retry } = await createFailedPost({ do: "reset_before" });
    expect(await retry()).toMatchObject({
      status: 409,
      body: {
        error: "delivery_not_retryable",
        field: "/confirm_not_published",
        hint: expect.stringContaining("confirm"),
      },
    });
    expect(await ledger(channel.handle)).toEqual([]);
    expect((await retry({ confirm_not_published: true })).status).toBe(200);
    expect((await finished(key, id)).status).toBe("published");
    expect(await ledger(channel.handle)).toHaveLength(1);
  });

  it("a retry does not count the post again", async () => {
    const { key, id, retry } = await createFailedPost(refusedFault);
    const readUsedPosts = async () =>
      (await call<{ posts: { used: number } }>("GET", "/v1/usage", { token: key })).body.posts.used;
    expect(await readUsedPosts()).toBe(1);
    await retry();
    await finished(key, id);
    expect(await readUsedPosts()).toBe(1);
  });

  it("a retry is refused for an unknown delivery, another workspace's delivery and a disconnected channel", async () => {
    const { key, id, channel, retry } = await createFailedPost(refusedFault);
    expect((await retry({}, `/v1/posts/${id}/deliveries/ch_none/retry`)).status).toBe(404);
    expect((await retry({}, `/v1/posts/post_none/deliveries/${channel.id}/retry`)).status).toBe(404);
    expect(await retry({ confirm: true })).toMatchObject({ status: 422, body: { error: "unknown_field" } });
    const stranger = await signUp();
    const foreign = await call("POST", `/v1/posts/${id}/deliveries/${channel.id}/retry`, {
      token: stranger.key,
      body: {},
    });
    expect(foreign.status).toBe(404);
    await call("DELETE", `/v1/channels/${channel.id}`, { token: key });
    expect(await retry()).toMatchObject({ status: 409, body: { error: "channel_not_connected" } });
  });
});
