// What a dispatcher does with the messages that are due to one endpoint.
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
import { db, NOW, storedEndpoint } from "../store/webhooks/stored-endpoint.ts";

const SECRET = "whsec_c2VjcmV0";
const sealedFor = (secret: string, workspaceId = "ws_1") =>
  sealWebhookSecret(seal, { workspaceId, id: "wh_1" }, secret);

type Answer = (init: RequestInit | undefined, url: string) => Response | Promise<Response>;

/** An endpoint that answers so, with three messages that are due; `calls`: the bodies that it got. */
async function endpointThatAnswers(answer: Answer, columns: Parameters<typeof storedEndpoint>[0] = {}) {
  const stored = await storedEndpoint({ secret: await sealedFor(SECRET), ...columns });
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
const taken = () => new Response("thanks");
const refused = () => new Response("no", { status: 500 });
const states = (messages: { state: string }[]) => messages.map(({ state }) => state);

describe("a dispatcher", () => {
  it("delivers what is due, in the bytes that the event was written in, and nothing waits then", async () => {
    const { calls, dispatch, readMessages, readAttempts, logs } = await endpointThatAnswers(taken);
    expect(await dispatch()).toBeNull();
    expect(calls.map(({ body }) => body).sort()).toEqual(['{"id":"evt_1"}', '{"id":"evt_2"}', '{"id":"evt_3"}']);
    expect(states(await readMessages())).toEqual(["delivered", "delivered", "delivered"]);
    const line = { event: "webhook_attempt", workspace: "ws_1", webhook: "wh_1", outcome: "delivered" };
    expect(logs).toEqual([1, 2, 3].map(() => ({ level: "info", ...line })));
    const attempts = await readAttempts();
    expect(attempts.map(({ id }) => id.slice(0, 4))).toEqual(["att_", "att_", "att_"]);
    expect(attempts.map(({ eventId }) => eventId).sort()).toEqual(["evt_1", "evt_2", "evt_3"]);
    expect(attempts).toMatchObject([{ attempt: 1, event: "delivery.failed", response: "thanks" }, {}, {}]);
  });

  it("has two calls of one endpoint open at most", async () => {
    let [open, most] = [0, 0];
    const second = Promise.withResolvers<void>();
    const { calls, dispatch } = await endpointThatAnswers(async () => {
      most = Math.max(most, ++open);
      if (calls.length === 2) second.resolve();
      await second.promise;
      await new Promise(setImmediate);
      open--;
      return taken();
    });
    await dispatch();
    expect([most, calls.length]).toEqual([2, 3]);
  });

  it("signs with the newest secret and with one that it replaced a short while ago", async () => {
    const previousSecrets = [
      { secret: await sealedFor("whsec_b25l"), until: NOW + 1 },
      { secret: await sealedFor("whsec_dHdv"), until: NOW },
    ];
    const { calls, dispatch } = await endpointThatAnswers(taken, { previousSecrets });
    await dispatch();
    const signatures = new Headers(calls[0]?.headers).get("webhook-signature")?.split(" ");
    expect(signatures).toHaveLength(2);
  });

  it("tries a message again later that was refused, and says when", async () => {
    const { dispatch, readMessages, readAttempts, changeMessage } = await endpointThatAnswers(refused);
    await changeMessage("evt_1", { attempts: 1 });
    for (const id of ["evt_2", "evt_3"]) await changeMessage(id, { state: "delivered" });
    const nextAt = await dispatch();
    const [attempt] = await readAttempts();
    // The random byte is 128 of 256: the usual wait after the second attempt.
    expect(attempt).toMatchObject({ attempt: 2, outcome: "refused", nextAttemptAt: nextAt });
    expect(nextAt).toBe(NOW + (attempt?.durationMs ?? 0) + 5 * MINUTE_MS);
    expect((await readMessages())[0]).toMatchObject({ state: "pending", nextAt, attempts: 2 });
  });

  it("gives a message back while its host is called too often, and waits for as long", async () => {
    const { calls, dispatch, readMessages } = await endpointThatAnswers(taken);
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

  it("waits for a host no less than a message that is due later waits", async () => {
    const { dispatch, changeMessage } = await endpointThatAnswers(taken);
    for (const id of ["evt_2", "evt_3"]) await changeMessage(id, { state: "delivered" });
    await changeMessage("evt_2", { state: "pending", nextAt: NOW + 9_000 });
    await changeMessage("evt_1", { state: "delivered" });
    expect(await dispatch({ takeHost: async () => 3 })).toBe(NOW + 9_000);
  });

  it("sends nothing unsigned: a message waits ten minutes whose endpoint's secret cannot be opened, and uses up no attempt", async () => {
    const { calls, dispatch, readMessages, logs } = await endpointThatAnswers(taken, {
      secret: await sealedFor(SECRET, "ws_2"),
    });
    expect(await dispatch()).toBe(NOW + 10 * MINUTE_MS);
    expect(calls).toEqual([]);
    const messages = await readMessages();
    expect(messages.map(({ nextAt, attempts }) => [nextAt, attempts])).toEqual(
      [1, 2, 3].map(() => [NOW + 10 * MINUTE_MS, 0]),
    );
    expect(logs[0]).toEqual({ level: "error", event: "cannot_be_opened", workspace: "ws_1", operation: "webhook" });
  });

  it("leaves the rest of a long backlog to the next invocation", async () => {
    let now = NOW;
    const { calls, dispatch, readMessages } = await endpointThatAnswers(() => {
      now = NOW + 5 * MINUTE_MS;
      return taken();
    });
    expect(await dispatch({ now: () => now })).toBe(NOW);
    expect(calls).toHaveLength(2);
    expect(states(await readMessages())).toEqual(["delivered", "delivered", "pending"]);
  });
});

describe("the owners of a workspace", () => {
  /** Two owners, and a member who is none. */
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
  /** What is mailed; the first letter is not taken. */
  const mailbox = () => {
    const letters: Letter[] = [];
    const send = async (letter: Letter) => {
      letters.push(letter);
      if (letters.length === 1) throw new Error("the mail server is away");
    };
    return { letters, mail: { send } };
  };
  const failing = { failingSince: NOW - FAILING_MAX_MS };

  it("are told once that an endpoint was switched off that took nothing for five days", async () => {
    const { dispatch, readEndpoint, logs } = await endpointThatAnswers(refused, failing);
    await storeMembers();
    const { letters, mail } = mailbox();
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
  });

  it("are not told of an endpoint that says that it is gone, nor of one that fails since yesterday", async () => {
    const { letters, mail } = mailbox();
    const gone = await endpointThatAnswers(() => new Response(null, { status: 410 }), failing);
    await storeMembers();
    await gone.dispatch({ mail });
    expect(await gone.readEndpoint()).toMatchObject({ disabledReason: "gone" });
    const young = await endpointThatAnswers(refused, { failingSince: NOW - DAY_MS });
    await storeMembers();
    await young.dispatch({ mail });
    expect(await young.readEndpoint()).toMatchObject({ disabledAt: null });
    expect(letters).toEqual([]);
  });

  it("need not be reachable by mail for an endpoint to be switched off", async () => {
    const { dispatch, readEndpoint } = await endpointThatAnswers(refused, failing);
    await storeMembers();
    expect(await dispatch({ mail: null })).toBeNull();
    expect(await readEndpoint()).toMatchObject({ disabledReason: "failing" });
  });
});
