// The registration of webhooks and their secrets.
import { describe, expect, it } from "vitest";
import { DEFAULT_WEBHOOK_EVENTS } from "../../src/domain/event.ts";
import { testEnv } from "../support/env.ts";
import { makeKey } from "../support/keys.ts";
import { asMember, join } from "../support/members.ts";
import { call, signUp } from "../support/world.ts";
import {
  DAY,
  getWebhook,
  listReceived,
  publish,
  registerEndpoint,
  verifySignature,
  waitForAttempts,
} from "./webhook-endpoint.ts";

describe("a change of a webhook", () => {
  it("sends later events to the new address, with the same secret, and enables it again", async () => {
    const account = await signUp();
    const [old, next] = [await registerEndpoint(account), await registerEndpoint(account)];
    await call("DELETE", `/v1/webhooks/${next.id}`, { token: account.key });
    await testEnv.DB.prepare("UPDATE webhooks SET disabled_at = 1, disabled_reason = 'gone' WHERE id = ?")
      .bind(old.id)
      .run();
    const moved = await call("PATCH", `/v1/webhooks/${old.id}`, { token: account.key, body: { url: next.url } });
    expect(moved).toMatchObject({
      status: 200,
      body: { id: old.id, url: next.url, state: "enabled", events: DEFAULT_WEBHOOK_EVENTS, warnings: [] },
    });
    expect(JSON.stringify(moved.body)).not.toContain("whsec_");
    await publish(account);
    await waitForAttempts(old, 1);
    const [received] = await listReceived(next);
    verifySignature(old.secret, received ?? expect.fail("nothing was received"));
    expect(await listReceived(old)).toEqual([]);
  });

  it("replaces the events and leaves the address and a disabled state alone", async () => {
    const account = await signUp();
    const { id, url } = await registerEndpoint(account);
    await testEnv.DB.prepare("UPDATE webhooks SET disabled_at = 1, disabled_reason = 'gone' WHERE id = ?")
      .bind(id)
      .run();
    const body = { events: ["delivery.failed", "delivery.failed"] };
    expect(await call("PATCH", `/v1/webhooks/${id}`, { token: account.key, body })).toMatchObject({
      status: 200,
      body: { id, url, events: ["delivery.failed"], state: "disabled" },
    });
  });

  it("keeps both of two changes that are made at once", async () => {
    const account = await signUp();
    const { id, url } = await registerEndpoint(account);
    const change = (body: object) => call("PATCH", `/v1/webhooks/${id}`, { token: account.key, body });
    const moved = `${url}-moved`;
    await Promise.all([change({ url: moved }), change({ events: ["delivery.failed"] })]);
    expect(await change({})).toMatchObject({ status: 200, body: { url: moved, events: ["delivery.failed"] } });
  });

  it.each([
    [{ events: ["no.such"] }, "unknown_event", "/events/0"],
    [{ events: [] }, "invalid_field", "/events"],
    [{ secret: "x" }, "unknown_field", "/secret"],
  ])("refuses %j with %s at %s, and changes nothing", async (body, error, field) => {
    const account = await signUp();
    const endpoint = await registerEndpoint(account);
    const before = await getWebhook(endpoint);
    expect(await call("PATCH", `/v1/webhooks/${endpoint.id}`, { token: account.key, body })).toMatchObject({
      status: 422,
      body: { error, field },
    });
    expect(await getWebhook(endpoint)).toEqual(before);
  });
});

describe("the secret of a webhook", () => {
  it("a secret is replaced, and the two previous ones sign next to the new one for a day", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(account);
    const created = await getWebhook(endpoint);
    expect(created?.secret_since).toBe(created?.created_at);
    const secrets = [endpoint.secret];
    // Moves the creation of the first secret to yesterday.
    await testEnv.DB.prepare("UPDATE webhooks SET created_at = created_at - ? WHERE id = ?")
      .bind(DAY, endpoint.id)
      .run();
    for (let i = 0; i < 3; i++) {
      const { status, body } = await call<{ secret: string }>("POST", `/v1/webhooks/${endpoint.id}/rotate-secret`, {
        token: account.key,
      });
      expect(status).toBe(200);
      secrets.unshift(body.secret);
    }
    expect(new Set(secrets).size).toBe(4);
    const since = Date.parse((await getWebhook(endpoint))?.secret_since ?? "");
    expect(since).toBeGreaterThanOrEqual(Date.parse(created?.created_at ?? ""));
    await publish(account);
    await waitForAttempts(endpoint, 1);
    const [received] = await listReceived(endpoint);
    if (received === undefined) return expect.fail("nothing was received");
    expect(received.headers["webhook-signature"]?.split(" ")).toHaveLength(3);
    for (const secret of secrets.slice(0, 3)) verifySignature(secret, received);
    expect(() => verifySignature(endpoint.secret, received)).toThrow();

    await testEnv.DB.prepare(
      `UPDATE webhooks SET previous_secrets = json_set(previous_secrets, '$[0].until', 1, '$[1].until', 1) WHERE id = ?`,
    )
      .bind(endpoint.id)
      .run();
    await call("POST", `/v1/webhooks/${endpoint.id}/test`, { token: account.key });
    expect((await listReceived(endpoint)).at(-1)?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
  });

  it("the whole address of a webhook is shown only to callers who may manage webhooks, in lists and exports", async () => {
    const [account, viewer] = [await signUp(), await signUp()];
    await join(account, viewer, "viewer");
    const url = "https://hooks.example.com/services/T0/secret?token=1";
    expect((await call("POST", "/v1/webhooks", { token: account.key, body: { url } })).body).toMatchObject({ url });
    const reader = await makeKey(account, { scopes: ["read"] });
    const listAddresses = async (caller: object) => {
      const listed = await call<{ webhooks: { url: string }[] }>("GET", "/v1/webhooks", caller);
      const exported = await call("GET", "/v1/export", caller);
      expect(JSON.stringify(exported.body).includes("services/T0")).toBe(listed.body.webhooks[0]?.url === url);
      return listed.body.webhooks.map((webhook) => webhook.url);
    };
    expect(await listAddresses({ token: account.key })).toEqual([url]);
    expect(await listAddresses({ token: reader.key })).toEqual(["https://hooks.example.com/..."]);
    expect(await listAddresses(asMember(viewer, account))).toEqual(["https://hooks.example.com/..."]);
  });

  it("a secret is shown once and stored sealed", async () => {
    const account = await signUp();
    const { id, secret } = await registerEndpoint(account);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const listed = await call("GET", "/v1/webhooks", { token: account.key });
    expect(JSON.stringify(listed.body)).not.toContain("whsec_");
    const stored = await testEnv.DB.prepare("SELECT secret FROM webhooks WHERE id = ?")
      .bind(id)
      .first<string>("secret");
    expect(stored).toMatch(/^v1\.test\./);
  });
});

describe("registering a webhook", () => {
  it.each<[string, object, string, string]>([
    ["no address", {}, "missing_field", "/url"],
    ["ftp", { url: "ftp://example.com/x" }, "url_not_https", "/url"],
    ["an unknown event", { url: "https://example.com/", events: ["delivery.exploded"] }, "unknown_event", "/events/0"],
    ["no events", { url: "https://example.com/", events: [] }, "invalid_field", "/events"],
    ["an unknown field", { url: "https://example.com/", secret: "x" }, "unknown_field", "/secret"],
    ["an address of 2,049 characters", { url: `https://example.com/${"x".repeat(2_029)}` }, "invalid_field", "/url"],
  ])("a webhook with %s is refused", async (_, body, error, field) => {
    const { key } = await signUp();
    expect(await call("POST", "/v1/webhooks", { token: key, body })).toMatchObject({
      status: 422,
      body: { error, field },
    });
    expect((await call<{ webhooks: unknown[] }>("GET", "/v1/webhooks", { token: key })).body.webhooks).toEqual([]);
  });

  it("a webhook that names no events gets all five events of the specification", async () => {
    const { key } = await signUp();
    const { body } = await call("POST", "/v1/webhooks", { token: key, body: { url: "https://example.com/x" } });
    expect(body).toMatchObject({ events: DEFAULT_WEBHOOK_EVENTS, state: "enabled", disabled_reason: null });
  });

  it("an event that is named twice is registered once", async () => {
    const { key } = await signUp();
    const events = ["delivery.failed", "delivery.succeeded", "delivery.failed"];
    const answer = await call("POST", "/v1/webhooks", { token: key, body: { url: "https://example.com/x", events } });
    expect(answer).toMatchObject({ status: 201, body: { events: ["delivery.failed", "delivery.succeeded"] } });
  });

  it("a workspace can have fifty endpoints and no more", async () => {
    const { key } = await signUp();
    const body = { url: "https://example.com/x" };
    const answers = await Promise.all(
      Array.from({ length: 55 }, () => call("POST", "/v1/webhooks", { token: key, body })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(50);
    expect(statuses.filter((status) => status === 422)).toHaveLength(5);
  });
});
