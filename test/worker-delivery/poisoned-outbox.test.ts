// Broken rows of the outbox that no release has written. A message that cannot be delivered ends and is logged, and the
// other messages arrive.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { compose } from "../../src/compose.ts";
import { dispatchWebhooks } from "../../src/webhooks/dispatch.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { everyNth } from "../support/sampled.ts";
import { type Account, call, connect, finished, post, signUp } from "../support/world.ts";
import { type Endpoint, listReceived, registerEndpoint } from "../worker-api/webhook-endpoint.ts";

const lines: string[] = [];
beforeEach(() => {
  lines.length = 0;
  for (const level of ["error", "warn"] as const)
    vi.spyOn(console, level).mockImplementation((line) => void lines.push(String(line)));
});
afterEach(() => vi.restoreAllMocks());

const run = (sql: string, ...values: unknown[]) =>
  testEnv.DB.prepare(sql)
    .bind(...values)
    .run();

/** An endpoint whose dispatcher does not run yet, with a pending message about a published post. */
async function createWaitingMessage(): Promise<{ endpoint: Endpoint; event: string }> {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  const { id } = await post(account.key, { text: "x", channels: [channel.id] });
  await finished(account.key, id);
  const endpoint = await registerEndpoint(account);
  const eventRow = await testEnv.DB.prepare("SELECT id, seq FROM events WHERE workspace_id = ? AND post_id = ?")
    .bind(account.workspace, id)
    .first<{ id: string; seq: number }>();
  const { id: event, seq } = eventRow ?? expect.fail("no event");
  await insertMessage(endpoint, event, seq, 2);
  return { endpoint, event };
}
const insertMessage = ({ id, account }: Endpoint, event: string, seq: number, nextAt: unknown) =>
  run(
    `INSERT INTO webhook_messages (workspace_id, webhook_id, event_id, event_seq, state, attempts, next_at)
      VALUES (?, ?, ?, ?, 'pending', 0, ?)`,
    account.workspace,
    id,
    event,
    seq,
    nextAt,
  );
/** Adds a message for the endpoint that is due before the other message. */
const insertPoisonedMessage = (endpoint: Endpoint) => insertMessage(endpoint, "evt_poison", 9_000_000, 1);
const getPoisonedState = ({ account }: Endpoint) =>
  testEnv.DB.prepare("SELECT state FROM webhook_messages WHERE workspace_id = ? AND event_id = 'evt_poison'")
    .bind(account.workspace)
    .first<string>("state");
/** Adds the event of the poisoned message, and the message. */
const insertPoisonedEvent = async (endpoint: Endpoint, body: string, name = "delivery.failed") => {
  await run(
    `INSERT INTO events (workspace_id, seq, id, event, channel_id, dedupe_key, body, created_at)
      VALUES (?, 9000000, 'evt_poison', ?, 'ch_1', 1, ?, 1)`,
    endpoint.account.workspace,
    name,
    body,
  );
  await insertPoisonedMessage(endpoint);
};
const updateEndpoint = ({ id }: Endpoint, columns: string, ...values: unknown[]) =>
  run(`UPDATE webhooks SET ${columns} WHERE id = ?`, ...values, id);

/** Dispatches as often as due alarms would. Returns the time of the next alarm. */
async function dispatch({ id, account }: Endpoint): Promise<number | null> {
  const ctx = compose(testEnv, () => {});
  let next: number | null = 0;
  for (let i = 0; i < 5 && next !== null && next <= Date.now(); i++)
    next = await dispatchWebhooks(ctx, account.workspace, id);
  return next;
}

/** A defect of a message, the function that causes it, and the state in which the message ends. */
const POISONS: [string, (endpoint: Endpoint) => Promise<unknown>, string | undefined][] = [
  ["names an event that does not exist", insertPoisonedMessage, "exhausted"],
  ["has an event with no fields", (endpoint) => insertPoisonedEvent(endpoint, "{}"), "delivered"],
  [
    "has an event with an unknown name",
    (endpoint) => insertPoisonedEvent(endpoint, '{"event":"x"}', "x.y"),
    "delivered",
  ],
  [
    "has an event of one megabyte",
    (endpoint) => insertPoisonedEvent(endpoint, JSON.stringify({ x: "y".repeat(1_000_000) })),
    "delivered",
  ],
  [
    "has a negative number of attempts",
    async (endpoint) => {
      await insertPoisonedEvent(endpoint, "{}");
      await run("UPDATE webhook_messages SET attempts = -7 WHERE event_id = 'evt_poison'");
    },
    "delivered",
  ],
  [
    "has more attempts than an integer can hold",
    async (endpoint) => {
      await insertPoisonedEvent(endpoint, "{}");
      await run("UPDATE webhook_messages SET attempts = 1e300 WHERE event_id = 'evt_poison'");
    },
    "delivered",
  ],
  [
    "has an unknown state",
    async (endpoint) => {
      await insertPoisonedEvent(endpoint, "{}");
      await run("UPDATE webhook_messages SET state = 'dreaming' WHERE event_id = 'evt_poison'");
    },
    "dreaming",
  ],
  ["is due in ten thousand years", (endpoint) => insertMessage(endpoint, "evt_poison", 1, 3e14), "pending"],
  ["is due beyond all dates", (endpoint) => insertMessage(endpoint, "evt_poison", 1, 1e300), "pending"],
  ["is due at a text", (endpoint) => insertMessage(endpoint, "evt_poison", 1, "soon"), "pending"],
  ["is due long before 1970", (endpoint) => insertMessage(endpoint, "evt_poison", 9_000_000, -1e15), "exhausted"],
];

it.each(everyNth(POISONS, { sample: 3 }))(
  "delivers the other messages of an endpoint if a message %s",
  async (_how, poison, state) => {
    const { endpoint, event: good } = await createWaitingMessage();
    await poison(endpoint);
    const next = await dispatch(endpoint);
    expect((await listReceived(endpoint)).map(({ headers }) => headers["webhook-id"])).toContain(good);
    expect(await getPoisonedState(endpoint)).toBe(state);
    // The next alarm must be at a valid time in the future.
    if (next !== null) {
      expect(next).toBeGreaterThan(Date.now());
      expect(new Date(next).getTime()).toBe(next);
    }
    const isNamed = state === "exhausted" ? lines.some((line) => line.includes("webhook_event_gone")) : true;
    expect(isNamed).toBe(true);
    const broken = (await brokenInvariants(endpoint.account.workspace)).filter((line) =>
      line.startsWith("messages_can_be_delivered"),
    );
    expect(broken).toHaveLength(state === "pending" || state === "dreaming" ? 1 : 0);
    for (const path of ["/v1/events?include=channels", `/v1/webhooks/${endpoint.id}/deliveries`, "/v1/webhooks"])
      expect([path, (await call("GET", path, { token: endpoint.account.key })).status]).toEqual([path, 200]);
  },
);

/** A defect of an endpoint, and the function that causes it. */
const ENDPOINTS: [string, (endpoint: Endpoint) => Promise<unknown>][] = [
  ["an invalid address", (endpoint) => updateEndpoint(endpoint, "url = 'not an address'")],
  ["the address of a local file", (endpoint) => updateEndpoint(endpoint, "url = 'file:///etc/passwd'")],
  ["events that are not names", (endpoint) => updateEndpoint(endpoint, `events = '[7, null, {"a": 1}, "x.y"]'`)],
  [
    "malformed earlier secrets",
    (endpoint) => updateEndpoint(endpoint, `previous_secrets = '[null, 7, {}, {"until": "x"}]'`),
  ],
  [
    "an earlier secret that is a number",
    (endpoint) => updateEndpoint(endpoint, `previous_secrets = '[{"until": 9e15, "secret": 7}]'`),
  ],
  ["times beyond all dates", (endpoint) => updateEndpoint(endpoint, "created_at = 1e300, failing_since = -1e300")],
  ["texts as times", (endpoint) => updateEndpoint(endpoint, "created_at = 'soon', failing_since = 'soon'")],
  ["an unknown reason", (endpoint) => updateEndpoint(endpoint, "disabled_reason = 'bored'")],
];

it.each(ENDPOINTS)(
  "stops retrying for an endpoint with %s, and the lists of its workspace can still be read",
  async (_what, poison) => {
    const { endpoint } = await createWaitingMessage();
    const otherEndpoint = await registerEndpoint(endpoint.account);
    await poison(endpoint);
    const next = await dispatch(endpoint);
    if (next !== null) expect(next).toBeGreaterThan(Date.now());
    const { key, session, workspace } = endpoint.account;
    for (const token of [key, session]) {
      for (const path of ["/v1/webhooks", `/v1/webhooks/${endpoint.id}/deliveries`]) {
        const listed = await call("GET", path, { token, headers: token === key ? {} : { "x-workspace": workspace } });
        expect([path, listed.status]).toEqual([path, 200]);
      }
    }
    await publishAndDispatch(endpoint.account);
    expect((await listReceived(otherEndpoint)).length).toBeGreaterThan(0);
  },
);

/** Publishes a post, and dispatches the messages about it to every endpoint of the workspace. */
async function publishAndDispatch(account: Account): Promise<void> {
  const channel = await connect(account.key, "bluesky");
  const { id } = await post(account.key, { text: "y", channels: [channel.id] });
  await finished(account.key, id);
  const { results } = await testEnv.DB.prepare("SELECT id FROM webhooks WHERE workspace_id = ?")
    .bind(account.workspace)
    .all<{ id: string }>();
  for (const { id: webhook } of results)
    await dispatchWebhooks(
      compose(testEnv, () => {}),
      account.workspace,
      webhook,
    );
}
