// Webhooks deliver each event, and lose none.
import { describe, expect, it } from "vitest";
import { sweep } from "../../src/maintenance/sweep.ts";
import { dispatchWebhooks } from "../../src/webhooks/dispatch.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, fault, finished, post, signUp } from "../support/world.ts";
import {
  attemptAgain,
  ctx,
  DAY,
  listAttempts,
  listReceived,
  publish,
  registerEndpoint,
  verifySignature,
  waitForAttempts,
} from "./webhook-endpoint.ts";

describe("an endpoint", () => {
  it("an endpoint gets the events of the feed, signed so that both public libraries accept them", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(account);
    const id = await publish(account);
    await waitForAttempts(endpoint, 1);
    const [received, ...otherCalls] = await listReceived(endpoint);
    if (received === undefined) return expect.fail("nothing was received");
    expect(otherCalls).toEqual([]);
    verifySignature(endpoint.secret, received);
    const { body: feed } = await call<{ events: Record<string, unknown>[] }>("GET", "/v1/events", {
      token: account.key,
    });
    const { workspace, ...event } = JSON.parse(received.body);
    expect(event).toEqual(feed.events[0]);
    expect(event).toMatchObject({ event: "delivery.succeeded", post: id, attempt: 1, metadata: { ref: "42" } });
    expect(workspace).toBe(account.workspace);
    expect(received.headers).toMatchObject({ "webhook-id": event.id, "content-type": "application/json" });
    expect(received.headers["user-agent"]).toBe("Crier-Webhooks/1.0");
    expect(await listAttempts(endpoint)).toMatchObject([
      { event_id: event.id, event: "delivery.succeeded", attempt: 1, response_code: 204, outcome: "delivered" },
    ]);
  });

  it("a call whose bytes, id or time were changed is rejected by both libraries", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(account);
    await publish(account);
    await waitForAttempts(endpoint, 1);
    const [received] = await listReceived(endpoint);
    if (received === undefined) return expect.fail("nothing was received");
    const old = String(Number(received.headers["webhook-timestamp"]) - 301);
    expect(() => verifySignature(endpoint.secret, { ...received, body: `${received.body} ` })).toThrow();
    expect(() => verifySignature(endpoint.secret, received, { "webhook-id": "evt_other" })).toThrow();
    expect(() => verifySignature(endpoint.secret, received, { "webhook-timestamp": old })).toThrow();
    expect(() => verifySignature(`whsec_${btoa("another secret of 32 bytes......")}`, received)).toThrow();
  });

  it("an endpoint gets only the events that it names, and all endpoints get the same id", async () => {
    const account = await signUp();
    const [firstEndpoint, failures, secondEndpoint] = [
      await registerEndpoint(account),
      await registerEndpoint(account, ["delivery.failed"]),
      await registerEndpoint(account),
    ];
    await publish(account);
    await Promise.all([waitForAttempts(firstEndpoint, 1), waitForAttempts(secondEndpoint, 1)]);
    const ids = (await Promise.all([listReceived(firstEndpoint), listReceived(secondEndpoint)])).map(
      ([received]) => received?.headers["webhook-id"],
    );
    expect(ids[0]).toBe(ids[1]);
    expect(await listReceived(failures)).toEqual([]);

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
    await waitForAttempts(failures, 1);
    const [received] = await listReceived(failures);
    const event = JSON.parse(received?.body ?? "{}");
    expect(event).toMatchObject({ event: "delivery.failed", post: id, channel: channel.id });
    expect(event.error).toBeTruthy();
    expect(event.action).toBeTruthy();
  });

  it("an endpoint gets the event of a channel that was disconnected", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(account, ["channel.disconnected"]);
    const channel = await connect(account.key, "x");
    const faultFields = { platform: "x", account: channel.handle, do: "status" };
    await fault({ ...faultFields, call: "tweets/create", status: 401, body: {} });
    await fault({ ...faultFields, call: "oauth2/token", status: 400, body: { error: "invalid_grant" } });
    const { id } = await post(account.key, { text: "no", channels: [channel.id] });
    await finished(account.key, id);
    await waitForAttempts(endpoint, 1);
    const [received] = await listReceived(endpoint);
    expect(JSON.parse(received?.body ?? "{}")).toMatchObject({
      event: "channel.disconnected",
      channel: channel.id,
      platform: "x",
      action: "reconnect_required",
    });
  });

  it("a removed endpoint gets no more events", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(account);
    expect((await call("DELETE", `/v1/webhooks/${endpoint.id}`, { token: account.key })).status).toBe(204);
    await publish(account);
    await dispatchWebhooks(ctx(), account.workspace, endpoint.id);
    expect(await listReceived(endpoint)).toEqual([]);
    expect((await call("GET", `/v1/webhooks/${endpoint.id}/deliveries`, { token: account.key })).status).toBe(404);
    expect((await call("DELETE", `/v1/webhooks/${endpoint.id}`, { token: account.key })).status).toBe(404);
  });
});

describe("failures during the dispatch", () => {
  it("an endpoint whose wake-up was lost is found by the sweeper", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(
      account,
      undefined,
      { do: "status", status: 500 },
      { do: "status", status: 200 },
    );
    await publish(account);
    await waitForAttempts(endpoint, 1);
    await testEnv.DB.prepare("UPDATE webhook_messages SET next_at = 0 WHERE webhook_id = ?").bind(endpoint.id).run();
    await sweep(ctx());
    const [second] = await waitForAttempts(endpoint, 2);
    expect(second).toMatchObject({ attempt: 2, outcome: "delivered" });
  });

  it("a secret that cannot be opened uses up no attempt, and nothing unsigned is sent", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(
      account,
      undefined,
      { do: "status", status: 500 },
      { do: "status", status: 200 },
    );
    await publish(account);
    await waitForAttempts(endpoint, 1);
    for (let i = 0; i < 12; i++) {
      await testEnv.DB.prepare("UPDATE webhook_messages SET next_at = 0 WHERE webhook_id = ?").bind(endpoint.id).run();
      await dispatchWebhooks({ ...ctx(), seal: null }, account.workspace, endpoint.id);
    }
    expect(await listReceived(endpoint)).toHaveLength(1);
    await attemptAgain(endpoint);
    expect((await listAttempts(endpoint))[0]).toMatchObject({ attempt: 2, outcome: "delivered" });
  });

  it("simultaneous processes make one attempt", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(
      account,
      undefined,
      { do: "status", status: 500 },
      { do: "status", status: 200 },
    );
    await publish(account);
    await waitForAttempts(endpoint, 1);
    await testEnv.DB.prepare("UPDATE webhook_messages SET next_at = 0 WHERE webhook_id = ?").bind(endpoint.id).run();
    await Promise.all(Array.from({ length: 5 }, () => dispatchWebhooks(ctx(), account.workspace, endpoint.id)));
    expect(await listAttempts(endpoint)).toHaveLength(2);
  });

  it("messages that ended a month ago are deleted", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(account);
    await publish(account);
    await waitForAttempts(endpoint, 1);
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
    expect(await listAttempts(endpoint)).toEqual([]);
    const remaining = await testEnv.DB.prepare("SELECT COUNT(*) AS n FROM webhook_messages WHERE webhook_id = ?")
      .bind(endpoint.id)
      .first("n");
    expect(remaining).toBe(0);
  });
});
