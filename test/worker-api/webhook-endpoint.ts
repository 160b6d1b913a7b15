// An endpoint of a webhook, and the calls that it receives.
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { expect } from "vitest";
import { compose } from "../../src/compose.ts";
import { dispatchWebhooks } from "../../src/webhooks/dispatch.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import type { Answer, Received } from "../support/webhook-receivers.ts";
import { type Account, call, connect, finished, post, unique } from "../support/world.ts";

export interface Endpoint {
  id: string;
  url: string;
  secret: string;
  name: string;
  account: Account;
}
export interface Attempt {
  id: string;
  event_id: string;
  event: string;
  attempt: number;
  response_code: number | null;
  outcome: string;
  attempted_at: string;
  next_attempt_at: string | null;
  body: string | null;
}

export const ctx = () => compose(testEnv, () => {});
const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export async function setAnswers(name: string, ...answers: Answer[]): Promise<void> {
  await fetch(`${testEnv.RECEIVERS}/_/${name}`, { method: "PUT", body: JSON.stringify(answers) });
}
export const listReceived = async ({ name }: Pick<Endpoint, "name">): Promise<Received[]> =>
  (await fetch(`${testEnv.RECEIVERS}/_/${name}`)).json();

export async function registerEndpoint(account: Account, events?: string[], ...answers: Answer[]): Promise<Endpoint> {
  const name = unique("hook");
  await setAnswers(name, ...answers);
  const url = `${testEnv.RECEIVERS}/${name}`;
  const { status, body } = await call<{ id: string; url: string; secret: string }>("POST", "/v1/webhooks", {
    token: account.key,
    body: { url, ...(events === undefined ? {} : { events }) },
  });
  expect(status).toBe(201);
  return { ...body, name, account };
}
export async function publish(account: Account): Promise<string> {
  const channel = await connect(account.key, "telegram");
  const { id } = await post(account.key, { text: "x", channels: [channel.id], metadata: { ref: "42" } });
  expect((await finished(account.key, id)).status).toBe("published");
  return id;
}
export const listAttempts = async ({ id, account }: Endpoint) =>
  (await call<{ deliveries: Attempt[] }>("GET", `/v1/webhooks/${id}/deliveries`, { token: account.key })).body
    .deliveries;
export interface WebhookBody {
  id: string;
  state: string;
  disabled_reason: string | null;
  failing_since: string | null;
  secret_since: string;
  created_at: string;
}
export const getWebhook = async ({ id, account }: Endpoint) => {
  const { body } = await call<{ webhooks: WebhookBody[] }>("GET", "/v1/webhooks", { token: account.key });
  return body.webhooks.find((webhook) => webhook.id === id);
};
/** Resolves once the log has at least `count` attempts. */
export const waitForAttempts = (endpoint: Endpoint, count: number) =>
  eventually(async () => {
    const attempts = await listAttempts(endpoint);
    expect(attempts.length).toBeGreaterThanOrEqual(count);
    return attempts;
  });
/** Makes the next attempt due and performs it. */
export async function attemptAgain({ id, account }: Endpoint): Promise<void> {
  await testEnv.DB.prepare("UPDATE webhook_messages SET next_at = 0 WHERE webhook_id = ? AND state = 'pending'")
    .bind(id)
    .run();
  await dispatchWebhooks(ctx(), account.workspace, id);
}
export function verifySignature(secret: string, { headers, body }: Received, change: Record<string, string> = {}) {
  const allHeaders = { ...headers, ...change };
  new StandardWebhook(secret).verify(body, allHeaders);
  new SvixWebhook(secret).verify(body, allHeaders);
}
