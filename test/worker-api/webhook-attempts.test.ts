// A webhook that is tried again, and what is told of each attempt.
import { describe, expect, it } from "vitest";
import { takeMessage } from "../../src/store/webhooks/messages.ts";
import { dispatchWebhooks } from "../../src/webhooks/dispatch.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { isWhole } from "../support/sampled.ts";
import type { Answer } from "../support/webhook-receivers.ts";
import { call, signUp } from "../support/world.ts";
import {
  type Attempt,
  again,
  attempted,
  attemptsOf,
  behave,
  ctx,
  DAY,
  publish,
  receivedBy,
  register,
  stateOf,
  verify,
} from "./webhook-endpoint.ts";

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
    expect([second?.body, first?.body]).toEqual([two.body, two.body]);
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
    expect(await receivedBy(endpoint)).toHaveLength(1);
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
    expect(mails).toContain("A webhook was disabled");

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

describe("an event that an endpoint missed while it was switched off", () => {
  it("stands among its attempts as skipped, and can be delivered later", async () => {
    const account = await signUp();
    const endpoint = await register(account, undefined, { do: "status", status: 410 });
    await publish(account);
    const [gone] = await attempted(endpoint, 1);
    await eventually(async () => expect(await stateOf(endpoint)).toMatchObject({ state: "disabled" }));
    await publish(account);
    await publish(account);
    const [last, first, tried, ...others] = await attemptsOf(endpoint);
    expect(others).toEqual([]);
    expect(tried).toEqual(gone);
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

    await behave(endpoint.name, { do: "status", status: 200 });
    const again = await call("POST", `${path}/${last?.id}/redeliver`, { token: account.key });
    expect(again).toMatchObject({ status: 200, body: { outcome: "delivered", attempt: 1, event_id: last?.event_id } });
    expect(await stateOf(endpoint)).toMatchObject({ state: "enabled" });
    expect((await attemptsOf(endpoint)).map(({ outcome }) => outcome)).toEqual(["delivered", "skipped", "refused"]);
    const stranger = await signUp();
    expect(await call("POST", `${path}/${first?.id}/redeliver`, { token: stranger.key })).toMatchObject({
      status: 404,
    });
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
