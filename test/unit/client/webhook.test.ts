// The client verifies webhook calls as the service signs them.
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

/** Sends a signed webhook call and returns it as the endpoint receives it. */
async function receiveCall(secrets: string[]) {
  const outbound = createOutbound({ allowPrivate: true, ownHosts: [] }, async () => []);
  await callWebhook(outbound, `${service.url}/hook`, { id: "evt_1", body: BODY }, secrets);
  const { headers, body } = service.calls.at(-1) ?? { headers: {}, body: "" };
  return { headers, body };
}

it("a correctly signed call returns its event, even while two secrets sign", async () => {
  expect(await verifyWebhook(await receiveCall([NEW]), NEW)).toEqual(JSON.parse(BODY));
  expect(await verifyWebhook(await receiveCall([NEW, OLD]), OLD)).toMatchObject({ id: "evt_1" });
  expect(await verifyWebhook(await receiveCall([OLD]), [NEW, OLD])).toMatchObject({ id: "evt_1" });
  const { headers, body } = await receiveCall([NEW]);
  const asHeaders = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  expect(await verifyWebhook({ headers: asHeaders, body }, NEW)).toMatchObject({ id: "evt_1" });
});

it.each<[string, (call: Awaited<ReturnType<typeof receiveCall>>) => Awaited<ReturnType<typeof receiveCall>>]>([
  ["whose body was changed", (call) => ({ ...call, body: `${call.body} ` })],
  ["whose id was changed", (call) => ({ ...call, headers: { ...call.headers, "webhook-id": "evt_2" } })],
  ["without a signature", (call) => ({ ...call, headers: { ...call.headers, "webhook-signature": "" } })],
  ["with an invalid signature", (call) => ({ ...call, headers: { ...call.headers, "webhook-signature": "v1,%%" } })],
  ["of another version", (call) => ({ ...call, headers: { ...call.headers, "webhook-signature": "v2,AAAA" } })],
  ["without a time", (call) => ({ ...call, headers: { ...call.headers, "webhook-timestamp": "now" } })],
])("a webhook call %s is rejected", async (_, change) => {
  await expect(verifyWebhook(change(await receiveCall([NEW])), NEW)).rejects.toBeInstanceOf(WebhookInvalid);
});

it("a call with a wrong secret, an old call and a future call are rejected", async () => {
  const call = await receiveCall([OLD]);
  await expect(verifyWebhook(call, NEW)).rejects.toBeInstanceOf(WebhookInvalid);
  const signedAt = Number(Object.entries(call.headers).find(([name]) => name === "webhook-timestamp")?.[1]) * 1_000;
  for (const ms of [-301_000, 301_000]) {
    await expect(verifyWebhook(call, OLD, signedAt + ms)).rejects.toBeInstanceOf(WebhookInvalid);
  }
});

it("a webhook call with repeated headers, headers as lists or an odd timestamp is rejected", async () => {
  const { headers, body } = await receiveCall([NEW]);
  const sign = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const time = sign["webhook-timestamp"] ?? "";
  const twice = new Headers(sign);
  twice.append("webhook-timestamp", "1");
  await expect(verifyWebhook({ headers: twice, body }, NEW)).rejects.toBeInstanceOf(WebhookInvalid);
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    const list = { ...sign, [name]: [sign[name] ?? "", "x"] };
    await expect(verifyWebhook({ headers: list, body }, NEW)).rejects.toBeInstanceOf(WebhookInvalid);
  }
  for (const timestamp of [`0x${time}`, `${time}.0`, `-${time}`, ` ${time}`, "1e10", "9".repeat(400)]) {
    const changed = { ...sign, "webhook-timestamp": timestamp };
    await expect(verifyWebhook({ headers: changed, body }, NEW)).rejects.toBeInstanceOf(WebhookInvalid);
  }
});

it("a call is rejected without a clock or a secret, and only a limited number of signatures is tried", async () => {
  const call = await receiveCall([NEW]);
  await expect(verifyWebhook(call, NEW, Number.NaN)).rejects.toBeInstanceOf(WebhookInvalid);
  await expect(verifyWebhook(call, [])).rejects.toBeInstanceOf(WebhookInvalid);
  const right = Object.entries(call.headers).find(([name]) => name === "webhook-signature")?.[1];
  const wrong = `v1,${btoa("x".repeat(32))} `;
  const many = { ...call.headers, "webhook-signature": `${wrong.repeat(16)}${right}` };
  await expect(verifyWebhook({ ...call, headers: many }, NEW)).rejects.toBeInstanceOf(WebhookInvalid);
});

it.each(["", "whsec_", "whsec_%%", "sk_abc", "whsec"])(
  "an invalid secret verifies no webhook call: %j",
  async (secret) => {
    const end = await verifyWebhook(await receiveCall([NEW]), secret).catch((error: unknown) => error);
    expect(end).toBeInstanceOf(Error);
    if (secret !== "") expect(String(end)).not.toContain(secret === "whsec_" || secret === "whsec" ? NEW : secret);
  },
);

it.each(["null", "7", "[]", "", "no JSON"])("a signed body that is not an event is rejected: %j", async (text) => {
  const outbound = createOutbound({ allowPrivate: true, ownHosts: [] }, async () => []);
  await callWebhook(outbound, `${service.url}/hook`, { id: "evt_1", body: text }, [NEW]);
  const { headers, body } = service.calls.at(-1) ?? { headers: {}, body: "" };
  await expect(verifyWebhook({ headers, body }, NEW)).rejects.toBeInstanceOf(WebhookInvalid);
});
