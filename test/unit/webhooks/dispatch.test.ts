// A dispatcher sends the due messages of one endpoint.
import { describe, expect, it } from "vitest";
import { sealWebhookSecret } from "../../../src/adapters/webhook-secrets.ts";
import type { Context } from "../../../src/context.ts";
import type { Letter } from "../../../src/domain/letter.ts";
import { DAY_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { FAILING_MAX_MS } from "../../../src/domain/webhook.ts";
import { members, users } from "../../../src/store/db/schema.ts";
import { dispatchWebhooks } from "../../../src/webhooks/dispatch.ts";
import { collectLogs } from "../../support/logs.ts";
import { nodeContext, seal } from "../../support/node-context.ts";
import { db, NOW, storeEndpoint } from "../store/webhooks/stored-endpoint.ts";

const SECRET = "whsec_c2VjcmV0";
const sealFor = (secret: string, workspaceId = "ws_1") => sealWebhookSecret(seal, { workspaceId, id: "wh_1" }, secret);

type Answer = (init: RequestInit | undefined, url: string) => Response | Promise<Response>;

/** Sets up an endpoint with this answer and three due messages. `calls` lists the received calls. */
async function setUpEndpoint(answer: Answer, columns: Parameters<typeof storeEndpoint>[0] = {}) {
  const stored = await storeEndpoint({ secret: await sealFor(SECRET), ...columns });
  const calls: RequestInit[] = [];
  const fetch: Context["outbound"]["fetch"] = async (url, init = {}) => {
    calls.push(init);
    return answer(init, url);
  };
  const dispatch = (outside: Partial<Context> = {}) => {
    const ctx = nodeContext(db, NOW);
    return dispatchWebhooks({ ...ctx, outbound: { ...ctx.outbound, fetch }, ...outside }, "ws_1", "wh_1");
  };
  return { ...stored, calls, dispatch, logs: collectLogs() };
}
const answerThanks = () => new Response("thanks");
const answerRefused = () => new Response("no", { status: 500 });
const listStates = (messages: { state: string }[]) => messages.map(({ state }) => state);

describe("a dispatcher", () => {
  it("a dispatcher delivers all due messages with the bytes of their events", async () => {
    const { calls, dispatch, readMessages, readAttempts, logs } = await setUpEndpoint(answerThanks);
    expect(await dispatch()).toBeNull();
    expect(calls.map(({ body }) => body).sort()).toEqual(['{"id":"evt_1"}', '{"id":"evt_2"}', '{"id":"evt_3"}']);
    expect(listStates(await readMessages())).toEqual(["delivered", "delivered", "delivered"]);
    const line = { event: "webhook_attempt", workspace: "ws_1", webhook: "wh_1", outcome: "delivered" };
    expect(logs).toEqual([1, 2, 3].map(() => ({ level: "info", ...line })));
    const attempts = await readAttempts();
    expect(attempts.map(({ id }) => id.slice(0, 4))).toEqual(["att_", "att_", "att_"]);
    expect(attempts.map(({ eventId }) => eventId).sort()).toEqual(["evt_1", "evt_2", "evt_3"]);
    expect(attempts).toMatchObject([{ attempt: 1, event: "delivery.failed", response: "thanks" }, {}, {}]);
  });

  it("a dispatcher makes at most two simultaneous calls of one endpoint", async () => {
    let [open, mostOpen] = [0, 0];
    const second = Promise.withResolvers<void>();
    const { calls, dispatch } = await setUpEndpoint(async () => {
      mostOpen = Math.max(mostOpen, ++open);
      if (calls.length === 2) second.resolve();
      await second.promise;
      await new Promise(setImmediate);
      open--;
      return answerThanks();
    });
    await dispatch();
    expect([mostOpen, calls.length]).toEqual([2, 3]);
  });

  it("a dispatcher signs with the current secret and with a recently replaced one", async () => {
    const previousSecrets = [
      { secret: await sealFor("whsec_b25l"), until: NOW + 1 },
      { secret: await sealFor("whsec_dHdv"), until: NOW },
    ];
    const { calls, dispatch } = await setUpEndpoint(answerThanks, { previousSecrets });
    await dispatch();
    const signatures = new Headers(calls[0]?.headers).get("webhook-signature")?.split(" ");
    expect(signatures).toHaveLength(2);
  });

  it("a dispatcher retries a refused message later, and logs the time", async () => {
    const { dispatch, readMessages, readAttempts, changeMessage } = await setUpEndpoint(answerRefused);
    await changeMessage("evt_1", { attempts: 1 });
    for (const id of ["evt_2", "evt_3"]) await changeMessage(id, { state: "delivered" });
    const nextAt = await dispatch();
    const [attempt] = await readAttempts();
    // The random byte is 128 of 256, which results in the usual wait after the second attempt.
    expect(attempt).toMatchObject({ attempt: 2, outcome: "refused", nextAttemptAt: nextAt });
    expect(nextAt).toBe(NOW + (attempt?.durationMs ?? 0) + 5 * MINUTE_MS);
    expect((await readMessages())[0]).toMatchObject({ state: "pending", nextAt, attempts: 2 });
  });

  it("a dispatcher gives messages back if their host is called too often, and waits", async () => {
    const { calls, dispatch, readMessages } = await setUpEndpoint(answerThanks);
    const hosts: string[][] = [];
    const takeHost: Context["takeHost"] = async (...host) => {
      hosts.push(host);
      return 3;
    };
    expect(await dispatch({ takeHost })).toBe(NOW + 3_000);
    expect(calls).toEqual([]);
    expect(hosts[0]).toEqual(["ws_1", "https://hooks.example"]);
    const messages = await readMessages();
    expect(messages.map(({ nextAt, attempts }) => [nextAt, attempts])).toEqual([
      [NOW + 3_000, 0],
      [NOW + 3_000, 0],
      [NOW, 0],
    ]);
  });

  it("a dispatcher waits until the next message is due if that is later than the wait for the host", async () => {
    const { dispatch, changeMessage } = await setUpEndpoint(answerThanks);
    for (const id of ["evt_2", "evt_3"]) await changeMessage(id, { state: "delivered" });
    await changeMessage("evt_2", { state: "pending", nextAt: NOW + 9_000 });
    await changeMessage("evt_1", { state: "delivered" });
    expect(await dispatch({ takeHost: async () => 3 })).toBe(NOW + 9_000);
  });

  it("messages of an endpoint whose secret cannot be unsealed wait for ten minutes without using up an attempt", async () => {
    const { calls, dispatch, readMessages, logs } = await setUpEndpoint(answerThanks, {
      secret: await sealFor(SECRET, "ws_2"),
    });
    expect(await dispatch()).toBe(NOW + 10 * MINUTE_MS);
    expect(calls).toEqual([]);
    const messages = await readMessages();
    expect(messages.map(({ nextAt, attempts }) => [nextAt, attempts])).toEqual(
      [1, 2, 3].map(() => [NOW + 10 * MINUTE_MS, 0]),
    );
    expect(logs[0]).toEqual({ level: "error", event: "cannot_be_opened", workspace: "ws_1", operation: "webhook" });
  });

  it("a dispatcher leaves the rest of a long backlog to the next invocation", async () => {
    let now = NOW;
    const { calls, dispatch, readMessages } = await setUpEndpoint(() => {
      now = NOW + 5 * MINUTE_MS;
      return answerThanks();
    });
    expect(await dispatch({ now: () => now })).toBe(NOW);
    expect(calls).toHaveLength(2);
    expect(listStates(await readMessages())).toEqual(["delivered", "delivered", "pending"]);
  });
});

describe("the owners of a workspace", () => {
  /** Stores two owners and another member. */
  const storeMembers = async () => {
    await db.delete(users);
    for (const [id, role] of [
      ["ada", "owner"],
      ["bob", "owner"],
      ["eve", "publisher"],
    ] as const) {
      await db.insert(users).values({ id, email: `${id}@crier.test`, createdAt: 0 });
      await db.insert(members).values({ workspaceId: "ws_1", userId: id, role, createdAt: 0 });
    }
  };
  /** Makes a mailer that records all mails, and fails for the first one. */
  const makeMailbox = () => {
    const letters: Letter[] = [];
    const send = async (letter: Letter) => {
      letters.push(letter);
      if (letters.length === 1) throw new Error("the mail server is away");
    };
    return { letters, mail: { send } };
  };
  const failing = { failingSince: NOW - FAILING_MAX_MS };

  it("owners are mailed once that an endpoint was disabled after five days without an accepted event", async () => {
    const { dispatch, readEndpoint, logs } = await setUpEndpoint(answerRefused, failing);
    await storeMembers();
    const { letters, mail } = makeMailbox();
    expect(await dispatch({ mail })).toBeNull();
    expect(await readEndpoint()).toMatchObject({ disabledReason: "failing", disabledAt: NOW });
    expect(letters.map(({ to, subject }) => [to, subject])).toEqual([
      ["ada@crier.test", "A webhook was disabled"],
      ["bob@crier.test", "A webhook was disabled"],
    ]);
    const fields = { workspace: "ws_1", webhook: "wh_1", outcome: "refused" };
    expect(logs).toContainEqual({ level: "warn", event: "webhook_attempt", ...fields });
    expect(logs).toContainEqual({ level: "error", event: "mail_failed", error: "Error: the mail server is away" });
    expect(letters[0]?.text).toContain("https://hooks.example, because it accepted no event for five days");
    expect(letters[0]?.text).toContain("/settings/webhooks?workspace=ws_1\n");
  });

  it("owners are not mailed about an endpoint that answers 410, or that has been failing for one day", async () => {
    const { letters, mail } = makeMailbox();
    const goneEndpoint = await setUpEndpoint(() => new Response(null, { status: 410 }), failing);
    await storeMembers();
    await goneEndpoint.dispatch({ mail });
    expect(await goneEndpoint.readEndpoint()).toMatchObject({ disabledReason: "gone" });
    const young = await setUpEndpoint(answerRefused, { failingSince: NOW - DAY_MS });
    await storeMembers();
    await young.dispatch({ mail });
    expect(await young.readEndpoint()).toMatchObject({ disabledAt: null });
    expect(letters).toEqual([]);
  });

  it("an endpoint is disabled even if no mail can be sent", async () => {
    const { dispatch, readEndpoint } = await setUpEndpoint(answerRefused, failing);
    await storeMembers();
    expect(await dispatch({ mail: null })).toBeNull();
    expect(await readEndpoint()).toMatchObject({ disabledReason: "failing" });
  });
});
