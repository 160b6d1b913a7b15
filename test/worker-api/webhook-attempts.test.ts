// Repeated attempts of a webhook, and the log of attempts.
import { describe, expect, it } from "vitest";
import { takeMessage } from "../../src/store/webhooks/messages.ts";
import { dispatchWebhooks } from "../../src/webhooks/dispatch.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { isExtensive } from "../support/sampled.ts";
import type { Answer } from "../support/webhook-receivers.ts";
import { call, signUp } from "../support/world.ts";
import {
  type Attempt,
  attemptAgain,
  ctx,
  DAY,
  getWebhook,
  listAttempts,
  listReceived,
  publish,
  registerEndpoint,
  setAnswers,
  verifySignature,
  waitForAttempts,
} from "./webhook-endpoint.ts";

describe("an endpoint that does not accept an event", () => {
  it.each<[string, Answer, string, number | null]>([
    ["500", { do: "status", status: 500 }, "refused", 500],
    ["a redirect", { do: "status", status: 301, headers: { location: "http://10.0.0.1/" } }, "refused", 301],
    ["a broken connection", { do: "reset" }, "network_error", null],
  ])(
    "an endpoint that answers with %s is called again with the same id and bytes and a new signature",
    async (_, answer, outcome, status) => {
      const account = await signUp();
      const endpoint = await registerEndpoint(account, undefined, answer, { do: "status", status: 200 });
      await publish(account);
      const [first] = await waitForAttempts(endpoint, 1);
      expect(first).toMatchObject({ attempt: 1, outcome, response_code: status });
      expect(first?.next_attempt_at).not.toBeNull();
      await attemptAgain(endpoint);
      const [second] = await listAttempts(endpoint);
      expect(second).toMatchObject({ attempt: 2, outcome: "delivered", response_code: 200, next_attempt_at: null });
      const [firstCall, secondCall] = await listReceived(endpoint);
      if (firstCall === undefined || secondCall === undefined) return expect.fail("it was not called twice");
      expect([secondCall.body, secondCall.headers["webhook-id"]]).toEqual([
        firstCall.body,
        firstCall.headers["webhook-id"],
      ]);
      expect([second?.body, first?.body]).toEqual([secondCall.body, secondCall.body]);
      verifySignature(endpoint.secret, secondCall);
      await attemptAgain(endpoint);
      expect(await listAttempts(endpoint)).toHaveLength(2);
    },
  );

  it.each<[string, Answer]>([
    ["a body without an end", { do: "flood" }],
    ["a gzip bomb", { do: "bomb" }],
  ])("an endpoint that answers with %s is read only for its first bytes", async (_, answer) => {
    const account = await signUp();
    const endpoint = await registerEndpoint(account, undefined, answer);
    await publish(account);
    const [attempt] = await waitForAttempts(endpoint, 1);
    expect(attempt).toMatchObject({ outcome: "delivered", response_code: 200 });
    const storedLength = await testEnv.DB.prepare(
      "SELECT LENGTH(response) AS n FROM webhook_attempts WHERE webhook_id = ?",
    )
      .bind(endpoint.id)
      .first("n");
    expect(storedLength).toBeLessThanOrEqual(1024);
  });

  it("an event is given up after the tenth attempt, and the log says so", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(account, undefined, { do: "status", status: 500 });
    await publish(account);
    await waitForAttempts(endpoint, 1);
    for (let i = 0; i < 12; i++) await attemptAgain(endpoint);
    const attempts = await listAttempts(endpoint);
    expect(attempts.map(({ attempt }) => attempt)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(attempts[0]?.next_attempt_at).toBeNull();
    const state = await testEnv.DB.prepare("SELECT state FROM webhook_messages WHERE webhook_id = ?")
      .bind(endpoint.id)
      .first("state");
    expect(state).toBe("exhausted");
  });

  it("the attempts are spread over three days, even if each of them ends with its worker", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(account, undefined, { do: "status", status: 500 });
    await publish(account);
    await waitForAttempts(endpoint, 1);
    const messageRows = "FROM webhook_messages WHERE webhook_id = ?";
    let waits = 0;
    for (let attempt = 2; attempt <= 10; attempt++) {
      await testEnv.DB.prepare("UPDATE webhook_messages SET next_at = 0 WHERE webhook_id = ?").bind(endpoint.id).run();
      const message = await takeMessage(ctx().databaseOf(account.workspace), account.workspace, endpoint.id);
      if (message === null) return expect.fail(`there is no attempt ${attempt}`);
      expect(message.attempt).toBe(attempt);
      const nextAt = await testEnv.DB.prepare(`SELECT next_at ${messageRows}`)
        .bind(endpoint.id)
        .first<number>("next_at");
      waits += Number(nextAt) - message.now;
    }
    expect(waits).toBeGreaterThan(3 * 24 * 3_600_000);
  });

  it("an endpoint that answers 410 is disabled, and later events are skipped, but stay in the feed", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(account, undefined, { do: "status", status: 410 });
    await publish(account);
    await waitForAttempts(endpoint, 1);
    await eventually(async () =>
      expect(await getWebhook(endpoint)).toMatchObject({ state: "disabled", disabled_reason: "gone" }),
    );
    await publish(account);
    await dispatchWebhooks(ctx(), account.workspace, endpoint.id);
    expect(await listReceived(endpoint)).toHaveLength(1);
    const states = await testEnv.DB.prepare(
      "SELECT state FROM webhook_messages WHERE webhook_id = ? ORDER BY event_seq",
    )
      .bind(endpoint.id)
      .all();
    expect(states.results.map(({ state }) => state)).toEqual(["exhausted", "skipped"]);
    const { body } = await call<{ events: unknown[] }>("GET", "/v1/events", { token: account.key });
    expect(body.events).toHaveLength(2);
  });

  it("an endpoint that failed for five days is disabled, its owner gets a mail, and a test enables it", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(account, undefined, { do: "status", status: 500 });
    await publish(account);
    await waitForAttempts(endpoint, 1);
    await testEnv.DB.prepare("UPDATE webhooks SET failing_since = failing_since - ? WHERE id = ?")
      .bind(5 * DAY, endpoint.id)
      .run();
    await attemptAgain(endpoint);
    const off = await getWebhook(endpoint);
    expect(off).toMatchObject({ state: "disabled", disabled_reason: "failing" });
    expect(Date.parse(off?.failing_since ?? "")).toBeLessThan(Date.now() - 4 * DAY);
    const mails = await (await fetch(`${testEnv.MAILS}?to=${encodeURIComponent(account.email)}`)).text();
    expect(mails).toContain("A webhook was disabled");

    await setAnswers(endpoint.name, { do: "status", status: 200 });
    const { status, body } = await call("POST", `/v1/webhooks/${endpoint.id}/test`, { token: account.key });
    expect({ status, body }).toMatchObject({ status: 200, body: { event: "webhook.test", outcome: "delivered" } });
    expect(await getWebhook(endpoint)).toMatchObject({ state: "enabled", disabled_reason: null, failing_since: null });
    const received = (await listReceived(endpoint)).at(-1);
    if (received === undefined) return expect.fail("nothing was received");
    verifySignature(endpoint.secret, received);
  });

  it.runIf(isExtensive)(
    "an endpoint that hangs or never ends its answer does not delay another one, and is left after 15 seconds",
    async () => {
      const account = await signUp();
      const slow = [
        await registerEndpoint(account, undefined, { do: "hang" }),
        await registerEndpoint(account, undefined, { do: "drip" }),
      ];
      const healthy = await registerEndpoint(account);
      await publish(account);
      const [first] = await waitForAttempts(healthy, 1);
      for (const endpoint of slow) {
        const [attempt] = await waitForAttempts(endpoint, 1);
        expect(attempt).toMatchObject({ outcome: "timeout", response_code: null });
        expect(Date.parse(attempt?.attempted_at ?? "")).toBeGreaterThan(Date.parse(first?.attempted_at ?? ""));
        expect(await listReceived(endpoint)).toHaveLength(1);
      }
    },
  );
});

describe("an event that an endpoint missed while it was disabled", () => {
  it("a missed event is in the log as skipped, and can be delivered later", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(account, undefined, { do: "status", status: 410 });
    await publish(account);
    const [refusedAttempt] = await waitForAttempts(endpoint, 1);
    await eventually(async () => expect(await getWebhook(endpoint)).toMatchObject({ state: "disabled" }));
    await publish(account);
    await publish(account);
    const [last, first, tried, ...otherAttempts] = await listAttempts(endpoint);
    expect(otherAttempts).toEqual([]);
    expect(tried).toEqual(refusedAttempt);
    const missed = { outcome: "skipped", attempt: 0, response_code: null, ms: 0, next_attempt_at: null };
    expect([last, first]).toMatchObject([missed, missed]);
    const { body: feed } = await call<{ events: { id: string }[] }>("GET", "/v1/events", { token: account.key });
    expect([last?.event_id, first?.event_id, tried?.event_id]).toEqual(feed.events.map(({ id }) => id));

    const path = `/v1/webhooks/${endpoint.id}/deliveries`;
    const page = (query: string) =>
      call<{ deliveries: Attempt[]; next: string | null }>("GET", `${path}?limit=1${query}`, { token: account.key });
    const ids: string[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const { body }: Awaited<ReturnType<typeof page>> = await page(next === "" ? "" : `&cursor=${next}`);
      ids.push(...body.deliveries.map(({ id }) => id));
      next = body.next;
    }
    expect(ids).toEqual([last?.id, first?.id, tried?.id]);

    await setAnswers(endpoint.name, { do: "status", status: 200 });
    const again = await call("POST", `${path}/${last?.id}/redeliver`, { token: account.key });
    expect(again).toMatchObject({ status: 200, body: { outcome: "delivered", attempt: 1, event_id: last?.event_id } });
    expect(await getWebhook(endpoint)).toMatchObject({ state: "enabled" });
    expect((await listAttempts(endpoint)).map(({ outcome }) => outcome)).toEqual(["delivered", "skipped", "refused"]);
    const stranger = await signUp();
    expect(await call("POST", `${path}/${first?.id}/redeliver`, { token: stranger.key })).toMatchObject({
      status: 404,
    });
  });
});

describe("an attempt", () => {
  it("an attempt can be repeated with the same id and bytes", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(
      account,
      undefined,
      { do: "status", status: 500 },
      { do: "status", status: 200 },
    );
    await publish(account);
    const [first] = await waitForAttempts(endpoint, 1);
    const path = `/v1/webhooks/${endpoint.id}/deliveries/${first?.id}/redeliver`;
    const { status, body } = await call("POST", path, { token: account.key });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { event_id: first?.event_id, attempt: 2, outcome: "delivered", response_code: 200 },
    });
    const [firstCall, secondCall] = await listReceived(endpoint);
    expect(secondCall?.body).toBe(firstCall?.body);
    await attemptAgain(endpoint);
    expect(await listAttempts(endpoint)).toHaveLength(2);
  });

  it("an attempt of another workspace is not found", async () => {
    const [account, stranger] = [await signUp(), await signUp()];
    const endpoint = await registerEndpoint(account);
    await publish(account);
    const [first] = await waitForAttempts(endpoint, 1);
    for (const path of ["test", "rotate-secret", `deliveries/${first?.id}/redeliver`]) {
      const answer = await call("POST", `/v1/webhooks/${endpoint.id}/${path}`, { token: stranger.key });
      expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    }
    const wrong = await call("POST", `/v1/webhooks/${endpoint.id}/deliveries/att_nothing/redeliver`, {
      token: account.key,
    });
    expect(wrong.status).toBe(404);
  });

  it("the attempt of a test cannot be repeated", async () => {
    const account = await signUp();
    const endpoint = await registerEndpoint(account);
    const { body } = await call<Attempt>("POST", `/v1/webhooks/${endpoint.id}/test`, { token: account.key });
    const path = `/v1/webhooks/${endpoint.id}/deliveries/${body.id}/redeliver`;
    expect(await call("POST", path, { token: account.key })).toMatchObject({
      status: 409,
      body: { error: "event_not_kept" },
    });
  });
});
