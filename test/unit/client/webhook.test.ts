// Calls of webhooks as the service signs them, read by the client.
import { afterEach, beforeEach, expect, it } from "vitest";
import { createOutbound } from "../../../src/adapters/outbound.ts";
import { callWebhook } from "../../../src/adapters/webhook-call.ts";
import { verifyWebhook, WebhookInvalid } from "../../../src/client/webhook.ts";
import { type Service, startService } from "../cli/service.ts";

const OLD = `whsec_${btoa("an old secret of 24 bytes")}`;
const NEW = `whsec_${btoa("the new one, also 24 b...")}`;
const BODY = JSON.stringify({ event: "delivery.succeeded", id: "evt_1", created_at: "2026-11-22T00:00:00.000Z" });

let service: Service;
beforeEach(async () => {
  service = await startService((response) => response.end());
});
afterEach(() => service.close());

/** The call that an endpoint gets. */
async function called(secrets: string[]) {
  const outbound = createOutbound({ allowPrivate: true, ownHosts: [] }, async () => []);
  await callWebhook(outbound, `${service.url}/hook`, { id: "evt_1", body: BODY }, secrets);
  const { headers, body } = service.calls.at(-1) ?? { headers: {}, body: "" };
  return { headers, body };
}

it("a correctly signed call returns its event, even while two secrets sign", async () => {
  expect(await verifyWebhook(await called([NEW]), NEW)).toEqual(JSON.parse(BODY));
  expect(await verifyWebhook(await called([NEW, OLD]), OLD)).toMatchObject({ id: "evt_1" });
  expect(await verifyWebhook(await called([OLD]), [NEW, OLD])).toMatchObject({ id: "evt_1" });
  const { headers, body } = await called([NEW]);
  const asHeaders = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  expect(await verifyWebhook({ headers: asHeaders, body }, NEW)).toMatchObject({ id: "evt_1" });
});

it.each<[string, (call: Awaited<ReturnType<typeof called>>) => Awaited<ReturnType<typeof called>>]>([
  ["whose body was changed", (call) => ({ ...call, body: `${call.body} ` })],
  ["whose id was changed", (call) => ({ ...call, headers: { ...call.headers, "webhook-id": "evt_2" } })],
  ["without a signature", (call) => ({ ...call, headers: { ...call.headers, "webhook-signature": "" } })],
  [
    "with a signature that is none",
    (call) => ({ ...call, headers: { ...call.headers, "webhook-signature": "v1,%%" } }),
  ],
  ["of another version", (call) => ({ ...call, headers: { ...call.headers, "webhook-signature": "v2,AAAA" } })],
  ["without a time", (call) => ({ ...call, headers: { ...call.headers, "webhook-timestamp": "now" } })],
])("a webhook call %s is rejected", async (_, change) => {
  await expect(verifyWebhook(change(await called([NEW])), NEW)).rejects.toBeInstanceOf(WebhookInvalid);
});

it("a call with a wrong secret, an old call and a future call are rejected", async () => {
  const call = await called([OLD]);
  await expect(verifyWebhook(call, NEW)).rejects.toBeInstanceOf(WebhookInvalid);
  const signedAt = Number(Object.entries(call.headers).find(([name]) => name === "webhook-timestamp")?.[1]) * 1_000;
  for (const ms of [-301_000, 301_000]) {
    await expect(verifyWebhook(call, OLD, signedAt + ms)).rejects.toBeInstanceOf(WebhookInvalid);
  }
});

it("headers that arrive twice, or as lists, do not verify a call", async () => {
  const { headers, body } = await called([NEW]);
  const sign = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const time = sign["webhook-timestamp"] ?? "";
  const twice = new Headers(sign);
  twice.append("webhook-timestamp", "1");
  await expect(verifyWebhook({ headers: twice, body }, NEW)).rejects.toBeInstanceOf(WebhookInvalid);
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    const list = { ...sign, [name]: [sign[name] ?? "", "x"] };
    await expect(verifyWebhook({ headers: list, body }, NEW)).rejects.toBeInstanceOf(WebhookInvalid);
  }
  for (const other of [`0x${time}`, `${time}.0`, `-${time}`, ` ${time}`, "1e10", "9".repeat(400)]) {
    const changed = { ...sign, "webhook-timestamp": other };
    await expect(verifyWebhook({ headers: changed, body }, NEW)).rejects.toBeInstanceOf(WebhookInvalid);
  }
});

it("a call is rejected without a clock or a secret, and only a limited number of signatures is tried", async () => {
  const call = await called([NEW]);
  await expect(verifyWebhook(call, NEW, Number.NaN)).rejects.toBeInstanceOf(WebhookInvalid);
  await expect(verifyWebhook(call, [])).rejects.toBeInstanceOf(WebhookInvalid);
  const right = Object.entries(call.headers).find(([name]) => name === "webhook-signature")?.[1];
  const wrong = `v1,${btoa("x".repeat(32))} `;
  const many = { ...call.headers, "webhook-signature": `${wrong.repeat(16)}${right}` };
  await expect(verifyWebhook({ ...call, headers: many }, NEW)).rejects.toBeInstanceOf(WebhookInvalid);
});

it.each(["", "whsec_", "whsec_%%", "sk_abc", "whsec"])(
  "a secret of another shape verifies nothing: %j",
  async (secret) => {
    const end = await verifyWebhook(await called([NEW]), secret).catch((error: unknown) => error);
    expect(end).toBeInstanceOf(Error);
    if (secret !== "") expect(String(end)).not.toContain(secret === "whsec_" || secret === "whsec" ? NEW : secret);
  },
);

it.each(["null", "7", "[]", "", "no JSON"])("a signed body that is no event is refused: %j", async (text) => {
  const outbound = createOutbound({ allowPrivate: true, ownHosts: [] }, async () => []);
  await callWebhook(outbound, `${service.url}/hook`, { id: "evt_1", body: text }, [NEW]);
  const { headers, body } = service.calls.at(-1) ?? { headers: {}, body: "" };
  await expect(verifyWebhook({ headers, body }, NEW)).rejects.toBeInstanceOf(WebhookInvalid);
});
