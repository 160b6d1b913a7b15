// Webhooks: registered, heard, signed, tried again, read about, and never a way into our own network.

import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { WEBHOOK_EVENTS } from "../../src/domain/event.ts";
import { sweep } from "../../src/maintenance/sweep.ts";
import { takeMessage } from "../../src/store/webhooks/messages.ts";
import { dispatchWebhooks } from "../../src/webhooks/dispatch.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { isWhole } from "../support/sampled.ts";
import type { Answer, Received } from "../support/webhook-receivers.ts";
import { type Account, call, connect, fault, finished, post, signUp, unique } from "../support/world.ts";

interface Endpoint {
  id: string;
  url: string;
  secret: string;
  name: string;
  account: Account;
}
interface Attempt {
  id: string;
  event_id: string;
  event: string;
  attempt: number;
  response_code: number | null;
  outcome: string;
  attempted_at: string;
  next_attempt_at: string | null;
}

const ctx = () => compose(testEnv, () => {});
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

async function behave(name: string, ...answers: Answer[]): Promise<void> {
  await fetch(`${testEnv.RECEIVERS}/_/${name}`, { method: "PUT", body: JSON.stringify(answers) });
}
const receivedBy = async ({ name }: Pick<Endpoint, "name">): Promise<Received[]> =>
  (await fetch(`${testEnv.RECEIVERS}/_/${name}`)).json();

async function register(account: Account, events?: string[], ...answers: Answer[]): Promise<Endpoint> {
  const name = unique("hook");
  await behave(name, ...answers);
  const url = `${testEnv.RECEIVERS}/${name}`;
  const { status, body } = await call<{ id: string; url: string; secret: string }>("POST", "/v1/webhooks", {
    token: account.key,
    body: { url, ...(events === undefined ? {} : { events }) },
  });
  expect(status).toBe(201);
  return { ...body, name, account };
}
async function publish(account: Account): Promise<string> {
  const channel = await connect(account.key, "telegram");
  const { id } = await post(account.key, { text: "x", channels: [channel.id], metadata: { ref: "42" } });
  expect((await finished(account.key, id)).status).toBe("published");
  return id;
}
const attemptsOf = async ({ id, account }: Endpoint) =>
  (await call<{ deliveries: Attempt[] }>("GET", `/v1/webhooks/${id}/deliveries`, { token: account.key })).body
    .deliveries;
interface WebhookBody {
  id: string;
  state: string;
  disabled_reason: string | null;
  failing_since: string | null;
  secret_since: string;
  created_at: string;
}
const stateOf = async ({ id, account }: Endpoint) => {
  const { body } = await call<{ webhooks: WebhookBody[] }>("GET", "/v1/webhooks", { token: account.key });
  return body.webhooks.find((webhook) => webhook.id === id);
};
/** Once so many attempts are in the log. */
const attempted = (endpoint: Endpoint, count: number) =>
  eventually(async () => {
    const attempts = await attemptsOf(endpoint);
    expect(attempts.length).toBeGreaterThanOrEqual(count);
    return attempts;
  });
/** Lets the time of the next attempt come, and makes it. */
async function again({ id, account }: Endpoint): Promise<void> {
  await testEnv.DB.prepare("UPDATE webhook_messages SET next_at = 0 WHERE webhook_id = ? AND state = 'pending'")
    .bind(id)
    .run();
  await dispatchWebhooks(ctx(), account.workspace, id);
}
function verify(secret: string, { headers, body }: Received, change: Record<string, string> = {}) {
  const all = { ...headers, ...change };
  new StandardWebhook(secret).verify(body, all);
  new SvixWebhook(secret).verify(body, all);
}

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
    await fault({ platform: "x", account: channel.handle, call: "tweets/create", do: "status", status: 401, body: {} });
    await fault({ platform: "x", call: "oauth2/token", do: "status", status: 400, body: { error: "invalid_grant" } });
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

describe("an endpoint that does not take an event", () => {
  it.each<[string, Answer, string, number | null]>([
    ["500", { do: "status", status: 500 }, "refused", 500],
    ["a redirect", { do: "status", status: 301, headers: { location: "http://10.0.0.1/" } }, "refused", 301],
    ["a broken connection", { do: "reset" }, "network_error", null],
  ])("%s: is tried again with the same id and bytes and a signature of its own", async (_, answer, outcome, status) => {
    const account = await signUp();
    const endpoint = await register(account, undefined, answer, { do: "status", status: 200 });
    await publish(account);
    const [first] = await attempted(endpoint, 1);
    expect(first).toMatchObject({ attempt: 1, outcome, response_code: status });
    expect(first?.next_attempt_at).not.toBeNull();
    await again(endpoint);
    const [second] = await attemptsOf(endpoint);
    expect(second).toMatchObject({ attempt: 2, outcome: "delivered", response_code: 200, next_attempt_at: null });
    const [one, two] = await receivedBy(endpoint);
    if (one === undefined || two === undefined) return expect.fail("it was not called twice");
    expect([two.body, two.headers["webhook-id"]]).toEqual([one.body, one.headers["webhook-id"]]);
    verify(endpoint.secret, two);
    await again(endpoint);
    expect(await attemptsOf(endpoint)).toHaveLength(2);
  });

  it.each<[string, Answer]>([
    ["a body without an end", { do: "flood" }],
    ["a gzip bomb", { do: "bomb" }],
  ])("%s: is read for its first bytes only", async (_, answer) => {
    const account = await signUp();
    const endpoint = await register(account, undefined, answer);
    await publish(account);
    const [attempt] = await attempted(endpoint, 1);
    expect(attempt).toMatchObject({ outcome: "delivered", response_code: 200 });
    const kept = await testEnv.DB.prepare("SELECT LENGTH(response) AS n FROM webhook_attempts WHERE webhook_id = ?")
      .bind(endpoint.id)
      .first("n");
    expect(kept).toBeLessThanOrEqual(1024);
  });

  it("is given up after the tenth attempt, and the log says so", async () => {
    const account = await signUp();
    const endpoint = await register(account, undefined, { do: "status", status: 500 });
    await publish(account);
    await attempted(endpoint, 1);
    for (let i = 0; i < 12; i++) await again(endpoint);
    const attempts = await attemptsOf(endpoint);
    expect(attempts.map(({ attempt }) => attempt)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(attempts[0]?.next_attempt_at).toBeNull();
    const state = await testEnv.DB.prepare("SELECT state FROM webhook_messages WHERE webhook_id = ?")
      .bind(endpoint.id)
      .first("state");
    expect(state).toBe("exhausted");
  });

  it("has its tries over three days, also when each of them ends with its worker", async () => {
    const account = await signUp();
    const endpoint = await register(account, undefined, { do: "status", status: 500 });
    await publish(account);
    await attempted(endpoint, 1);
    const ofEndpoint = "FROM webhook_messages WHERE webhook_id = ?";
    let waits = 0;
    for (let attempt = 2; attempt <= 10; attempt++) {
      await testEnv.DB.prepare("UPDATE webhook_messages SET next_at = 0 WHERE webhook_id = ?").bind(endpoint.id).run();
      const taken = await takeMessage(ctx().databaseOf(account.workspace), account.workspace, endpoint.id);
      if (taken === null) return expect.fail(`there is no attempt ${attempt}`);
      expect(taken.attempt).toBe(attempt);
      const nextAt = await testEnv.DB.prepare(`SELECT next_at ${ofEndpoint}`)
        .bind(endpoint.id)
        .first<number>("next_at");
      waits += Number(nextAt) - taken.now;
    }
    expect(waits).toBeGreaterThan(3 * 24 * 3_600_000);
  });

  it("says that it is gone: is switched off, and what comes later is skipped but in the feed", async () => {
    const account = await signUp();
    const endpoint = await register(account, undefined, { do: "status", status: 410 });
    await publish(account);
    await attempted(endpoint, 1);
    await eventually(async () =>
      expect(await stateOf(endpoint)).toMatchObject({ state: "disabled", disabled_reason: "gone" }),
    );
    await publish(account);
    await dispatchWebhooks(ctx(), account.workspace, endpoint.id);
    expect(await attemptsOf(endpoint)).toHaveLength(1);
    const states = await testEnv.DB.prepare(
      "SELECT state FROM webhook_messages WHERE webhook_id = ? ORDER BY event_seq",
    )
      .bind(endpoint.id)
      .all();
    expect(states.results.map(({ state }) => state)).toEqual(["exhausted", "skipped"]);
    const { body } = await call<{ events: unknown[] }>("GET", "/v1/events", { token: account.key });
    expect(body.events).toHaveLength(2);
  });

  it("took nothing for five days: is switched off, its owner gets a mail, and a test switches it on", async () => {
    const account = await signUp();
    const endpoint = await register(account, undefined, { do: "status", status: 500 });
    await publish(account);
    await attempted(endpoint, 1);
    await testEnv.DB.prepare("UPDATE webhooks SET failing_since = failing_since - ? WHERE id = ?")
      .bind(5 * DAY, endpoint.id)
      .run();
    await again(endpoint);
    const off = await stateOf(endpoint);
    expect(off).toMatchObject({ state: "disabled", disabled_reason: "failing" });
    expect(Date.parse(off?.failing_since ?? "")).toBeLessThan(Date.now() - 4 * DAY);
    const mails = await (await fetch(`${testEnv.MAILS}?to=${encodeURIComponent(account.email)}`)).text();
    expect(mails).toContain("A webhook was switched off");

    await behave(endpoint.name, { do: "status", status: 200 });
    const { status, body } = await call("POST", `/v1/webhooks/${endpoint.id}/test`, { token: account.key });
    expect({ status, body }).toMatchObject({ status: 200, body: { event: "webhook.test", outcome: "delivered" } });
    expect(await stateOf(endpoint)).toMatchObject({ state: "enabled", disabled_reason: null, failing_since: null });
    const received = (await receivedBy(endpoint)).at(-1);
    if (received === undefined) return expect.fail("it heard nothing");
    verify(endpoint.secret, received);
  });

  it.runIf(isWhole)(
    "hangs, or never ends its answer: another hears all the same, and after 15 seconds it is left",
    async () => {
      const account = await signUp();
      const slow = [
        await register(account, undefined, { do: "hang" }),
        await register(account, undefined, { do: "drip" }),
      ];
      const healthy = await register(account);
      await publish(account);
      const [first] = await attempted(healthy, 1);
      for (const endpoint of slow) {
        const [attempt] = await attempted(endpoint, 1);
        expect(attempt).toMatchObject({ outcome: "timeout", response_code: null });
        expect(Date.parse(attempt?.attempted_at ?? "")).toBeGreaterThan(Date.parse(first?.attempted_at ?? ""));
        expect(await receivedBy(endpoint)).toHaveLength(1);
      }
    },
  );
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

describe("its secret", () => {
  it("is replaced, and the two before it sign beside the new one for a day", async () => {
    const account = await signUp();
    const endpoint = await register(account);
    const made = await stateOf(endpoint);
    expect(made?.secret_since).toBe(made?.created_at);
    const secrets = [endpoint.secret];
    // Its first secret is of yesterday.
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
    const since = Date.parse((await stateOf(endpoint))?.secret_since ?? "");
    expect(since).toBeGreaterThanOrEqual(Date.parse(made?.created_at ?? ""));
    await publish(account);
    await attempted(endpoint, 1);
    const [received] = await receivedBy(endpoint);
    if (received === undefined) return expect.fail("it heard nothing");
    expect(received.headers["webhook-signature"]?.split(" ")).toHaveLength(3);
    for (const secret of secrets.slice(0, 3)) verify(secret, received);
    expect(() => verify(endpoint.secret, received)).toThrow();

    await testEnv.DB.prepare(
      `UPDATE webhooks SET previous_secrets = json_set(previous_secrets, '$[0].until', 1, '$[1].until', 1) WHERE id = ?`,
    )
      .bind(endpoint.id)
      .run();
    await call("POST", `/v1/webhooks/${endpoint.id}/test`, { token: account.key });
    expect((await receivedBy(endpoint)).at(-1)?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
  });

  it("is shown once, and stored sealed", async () => {
    const account = await signUp();
    const { id, secret } = await register(account);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const listed = await call("GET", "/v1/webhooks", { token: account.key });
    expect(JSON.stringify(listed.body)).not.toContain("whsec_");
    const stored = await testEnv.DB.prepare("SELECT secret FROM webhooks WHERE id = ?")
      .bind(id)
      .first<string>("secret");
    expect(stored).toMatch(/^v1\.test\./);
  });
});

describe("an attempt", () => {
  it("can be made once more, with the same id and bytes", async () => {
    const account = await signUp();
    const endpoint = await register(account, undefined, { do: "status", status: 500 }, { do: "status", status: 200 });
    await publish(account);
    const [first] = await attempted(endpoint, 1);
    const path = `/v1/webhooks/${endpoint.id}/deliveries/${first?.id}/redeliver`;
    const { status, body } = await call("POST", path, { token: account.key });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { event_id: first?.event_id, attempt: 2, outcome: "delivered", response_code: 200 },
    });
    const [one, two] = await receivedBy(endpoint);
    expect(two?.body).toBe(one?.body);
    await again(endpoint);
    expect(await attemptsOf(endpoint)).toHaveLength(2);
  });

  it("of another workspace is not found", async () => {
    const [account, other] = [await signUp(), await signUp()];
    const endpoint = await register(account);
    await publish(account);
    const [first] = await attempted(endpoint, 1);
    for (const path of ["test", "rotate-secret", `deliveries/${first?.id}/redeliver`]) {
      const answer = await call("POST", `/v1/webhooks/${endpoint.id}/${path}`, { token: other.key });
      expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    }
    const wrong = await call("POST", `/v1/webhooks/${endpoint.id}/deliveries/att_nothing/redeliver`, {
      token: account.key,
    });
    expect(wrong.status).toBe(404);
  });

  it("of a test cannot be made once more", async () => {
    const account = await signUp();
    const endpoint = await register(account);
    const { body } = await call<Attempt>("POST", `/v1/webhooks/${endpoint.id}/test`, { token: account.key });
    const path = `/v1/webhooks/${endpoint.id}/deliveries/${body.id}/redeliver`;
    expect(await call("POST", path, { token: account.key })).toMatchObject({
      status: 409,
      body: { error: "event_not_kept" },
    });
  });
});

describe("registering", () => {
  it.each<[string, object, string, string]>([
    ["no address", {}, "missing_field", "/url"],
    ["ftp", { url: "ftp://example.com/x" }, "url_not_https", "/url"],
    ["an unknown event", { url: "https://example.com/", events: ["delivery.exploded"] }, "unknown_event", "/events/0"],
    ["no events", { url: "https://example.com/", events: [] }, "invalid_field", "/events"],
    ["a field that there is not", { url: "https://example.com/", secret: "x" }, "unknown_field", "/secret"],
    ["an address of 2,049 characters", { url: `https://example.com/${"x".repeat(2_029)}` }, "invalid_field", "/url"],
  ])("%s is refused", async (_, body, error, field) => {
    const { key } = await signUp();
    expect(await call("POST", "/v1/webhooks", { token: key, body })).toMatchObject({
      status: 422,
      body: { error, field },
    });
    expect((await call<{ webhooks: unknown[] }>("GET", "/v1/webhooks", { token: key })).body.webhooks).toEqual([]);
  });

  it("asks for all five events of the specification when it names none", async () => {
    const { key } = await signUp();
    const { body } = await call("POST", "/v1/webhooks", { token: key, body: { url: "https://example.com/x" } });
    expect(body).toMatchObject({ events: WEBHOOK_EVENTS, state: "enabled", disabled_reason: null });
  });

  it("takes an event that is named twice once", async () => {
    const { key } = await signUp();
    const events = ["delivery.failed", "delivery.succeeded", "delivery.failed"];
    const answer = await call("POST", "/v1/webhooks", { token: key, body: { url: "https://example.com/x", events } });
    expect(answer).toMatchObject({ status: 201, body: { events: ["delivery.failed", "delivery.succeeded"] } });
  });

  it("takes fifty endpoints and refuses one more", async () => {
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
