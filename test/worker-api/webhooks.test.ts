// Webhooks: heard, and nothing lost.
import { describe, expect, it } from "vitest";
import { sweep } from "../../src/maintenance/sweep.ts";
import { dispatchWebhooks } from "../../src/webhooks/dispatch.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, fault, finished, post, signUp } from "../support/world.ts";
import { again, attempted, attemptsOf, ctx, DAY, publish, receivedBy, register, verify } from "./webhook-endpoint.ts";

describe("an endpoint", () => {
  it("gets the events, in the words of the event feed, signed so that both public libraries know it", async () => {
    const account = await signUp();
    const endpoint = await register(account);
    const id = await publish(account);
    await attempted(endpoint, 1);
    const [received, ...others] = await receivedBy(endpoint);
    if (received === undefined) return expect.fail("it heard nothing");
    expect(others).toEqual([]);
    verify(endpoint.secret, received);
    const { body: feed } = await call<{ events: Record<string, unknown>[] }>("GET", "/v1/events", {
      token: account.key,
    });
    const { workspace, ...event } = JSON.parse(received.body);
    expect(event).toEqual(feed.events[0]);
    expect(event).toMatchObject({ event: "delivery.succeeded", post: id, attempt: 1, metadata: { ref: "42" } });
    expect(workspace).toBe(account.workspace);
    expect(received.headers).toMatchObject({ "webhook-id": event.id, "content-type": "application/json" });
    expect(received.headers["user-agent"]).toBe("Crier-Webhooks/1.0");
    expect(await attemptsOf(endpoint)).toMatchObject([
      { event_id: event.id, event: "delivery.succeeded", attempt: 1, response_code: 204, outcome: "delivered" },
    ]);
  });

  it("whose bytes, id or time somebody changed is known by both libraries", async () => {
    const account = await signUp();
    const endpoint = await register(account);
    await publish(account);
    await attempted(endpoint, 1);
    const [received] = await receivedBy(endpoint);
    if (received === undefined) return expect.fail("it heard nothing");
    const old = String(Number(received.headers["webhook-timestamp"]) - 301);
    expect(() => verify(endpoint.secret, { ...received, body: `${received.body} ` })).toThrow();
    expect(() => verify(endpoint.secret, received, { "webhook-id": "evt_other" })).toThrow();
    expect(() => verify(endpoint.secret, received, { "webhook-timestamp": old })).toThrow();
    expect(() => verify(`whsec_${btoa("another secret of 32 bytes......")}`, received)).toThrow();
  });

  it("gets the events that it names only, and all endpoints get the same id", async () => {
    const account = await signUp();
    const [all, failures, other] = [
      await register(account),
      await register(account, ["delivery.failed"]),
      await register(account),
    ];
    await publish(account);
    await Promise.all([attempted(all, 1), attempted(other, 1)]);
    const ids = (await Promise.all([receivedBy(all), receivedBy(other)])).map(
      ([received]) => received?.headers["webhook-id"],
    );
    expect(ids[0]).toBe(ids[1]);
    expect(await receivedBy(failures)).toEqual([]);

    const channel = await connect(account.key, "telegram");
    const body = { ok: false, error_code: 400, description: "Bad Request: chat not found" };
    await fault({
      platform: "telegram",
      account: channel.handle,
      call: "sendMessage",
      do: "status",
      status: 400,
      body,
    });
    const { id } = await post(account.key, { text: "no", channels: [channel.id] });
    await finished(account.key, id);
    await attempted(failures, 1);
    const [received] = await receivedBy(failures);
    const event = JSON.parse(received?.body ?? "{}");
    expect(event).toMatchObject({ event: "delivery.failed", post: id, channel: channel.id });
    expect(event.error).toBeTruthy();
    expect(event.action).toBeTruthy();
  });

  it("gets the event of a channel that was disconnected", async () => {
    const account = await signUp();
    const endpoint = await register(account, ["channel.disconnected"]);
    const channel = await connect(account.key, "x");
    const at = { platform: "x", account: channel.handle, do: "status" };
    await fault({ ...at, call: "tweets/create", status: 401, body: {} });
    await fault({ ...at, call: "oauth2/token", status: 400, body: { error: "invalid_grant" } });
    const { id } = await post(account.key, { text: "no", channels: [channel.id] });
    await finished(account.key, id);
    await attempted(endpoint, 1);
    const [received] = await receivedBy(endpoint);
    expect(JSON.parse(received?.body ?? "{}")).toMatchObject({
      event: "channel.disconnected",
      channel: channel.id,
      platform: "x",
      action: "reconnect_required",
    });
  });

  it("that was removed gets no more events", async () => {
    const account = await signUp();
    const endpoint = await register(account);
    expect((await call("DELETE", `/v1/webhooks/${endpoint.id}`, { token: account.key })).status).toBe(204);
    await publish(account);
    await dispatchWebhooks(ctx(), account.workspace, endpoint.id);
    expect(await receivedBy(endpoint)).toEqual([]);
    expect((await call("GET", `/v1/webhooks/${endpoint.id}/deliveries`, { token: account.key })).status).toBe(404);
    expect((await call("DELETE", `/v1/webhooks/${endpoint.id}`, { token: account.key })).status).toBe(404);
  });
});

describe("nothing is lost", () => {
  it("an endpoint that nobody woke is found by the sweeper", async () => {
    const account = await signUp();
    const endpoint = await register(account, undefined, { do: "status", status: 500 }, { do: "status", status: 200 });
    await publish(account);
    await attempted(endpoint, 1);
    await testEnv.DB.prepare("UPDATE webhook_messages SET next_at = 0 WHERE webhook_id = ?").bind(endpoint.id).run();
    await sweep(ctx());
    const [second] = await attempted(endpoint, 2);
    expect(second).toMatchObject({ attempt: 2, outcome: "delivered" });
  });

  it("a secret that cannot be opened uses up no attempt, and nothing unsigned is sent", async () => {
    const account = await signUp();
    const endpoint = await register(account, undefined, { do: "status", status: 500 }, { do: "status", status: 200 });
    await publish(account);
    await attempted(endpoint, 1);
    for (let i = 0; i < 12; i++) {
      await testEnv.DB.prepare("UPDATE webhook_messages SET next_at = 0 WHERE webhook_id = ?").bind(endpoint.id).run();
      await dispatchWebhooks({ ...ctx(), seal: null }, account.workspace, endpoint.id);
    }
    expect(await receivedBy(endpoint)).toHaveLength(1);
    await again(endpoint);
    expect((await attemptsOf(endpoint))[0]).toMatchObject({ attempt: 2, outcome: "delivered" });
  });

  it("two processes at once make one attempt", async () => {
    const account = await signUp();
    const endpoint = await register(account, undefined, { do: "status", status: 500 }, { do: "status", status: 200 });
    await publish(account);
    await attempted(endpoint, 1);
    await testEnv.DB.prepare("UPDATE webhook_messages SET next_at = 0 WHERE webhook_id = ?").bind(endpoint.id).run();
    await Promise.all(Array.from({ length: 5 }, () => dispatchWebhooks(ctx(), account.workspace, endpoint.id)));
    expect(await attemptsOf(endpoint)).toHaveLength(2);
  });

  it("messages that ended a month ago are deleted", async () => {
    const account = await signUp();
    const endpoint = await register(account);
    await publish(account);
    await attempted(endpoint, 1);
    await testEnv.DB.batch([
      testEnv.DB.prepare("UPDATE webhook_attempts SET attempted_at = attempted_at - ?1 WHERE webhook_id = ?2").bind(
        30 * DAY,
        endpoint.id,
      ),
      testEnv.DB.prepare("UPDATE webhook_messages SET next_at = next_at - ?1 WHERE webhook_id = ?2").bind(
        30 * DAY,
        endpoint.id,
      ),
    ]);
    await sweep(ctx());
    expect(await attemptsOf(endpoint)).toEqual([]);
    const left = await testEnv.DB.prepare("SELECT COUNT(*) AS n FROM webhook_messages WHERE webhook_id = ?")
      .bind(endpoint.id)
      .first("n");
    expect(left).toBe(0);
  });
});
