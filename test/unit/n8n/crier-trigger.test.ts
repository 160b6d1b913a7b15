// The trigger of n8n: its endpoint at the service, and the calls that it starts a workflow by.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createOutbound } from "../../../src/adapters/outbound.ts";
import { callWebhook } from "../../../src/adapters/webhook-call.ts";
import { EVENT_NAMES } from "../../../src/domain/event.ts";
import { CrierTrigger } from "../../../src/n8n/nodes/CrierTrigger/CrierTrigger.node.ts";
import { hookOf, webhookOf } from "../../support/n8n.ts";
import { json, type Service, startService } from "../cli/service.ts";

const trigger = new CrierTrigger();
const { checkExists, create, delete: remove } = trigger.webhookMethods.default;
const SECRET = `whsec_${btoa("a secret of 24 bytes ...")}`;
const ADDRESS = "https://n8n.example.com/webhook/1/webhook";

let service: Service;
let webhooks: { id: string; url: string; events: string[]; state: string }[];
beforeEach(async () => {
  webhooks = [{ id: "wh_other", url: "https://elsewhere.example.com", events: ["delivery.failed"], state: "enabled" }];
  let made = 0;
  service = await startService((response, { method, path, body }) => {
    if (path.startsWith("/hook")) return response.end();
    if (method === "GET") return json(response, 200, { webhooks, next: null });
    const known = webhooks.findIndex(({ id }) => path === `/v1/webhooks/${id}`);
    if (method === "DELETE" && known < 0)
      return json(response, 404, { error: "not_found", message: "There is none.", request_id: "r" });
    if (method === "DELETE") {
      webhooks.splice(known, 1);
      return response.writeHead(204).end();
    }
    const webhook = { id: `wh_${++made}`, state: "enabled", ...JSON.parse(body) };
    webhooks.push(webhook);
    json(response, 201, { ...webhook, secret: SECRET });
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await service.close();
});

const hook = (kept: Record<string, unknown>, events = ["delivery.failed", "post.approved"]) =>
  hookOf(service.url, { webhookUrl: ADDRESS, events, kept });

it("the endpoint is registered with the chosen events on activation, and removed on deactivation", async () => {
  const kept = {};
  expect(await checkExists.call(hook(kept))).toBe(false);
  expect(await create.call(hook(kept))).toBe(true);
  expect(webhooks[1]).toMatchObject({ url: ADDRESS, events: ["delivery.failed", "post.approved"] });
  expect(kept).toEqual({ endpoint: "wh_1", secret: SECRET });
  expect(await checkExists.call(hook(kept, ["post.approved", "delivery.failed"]))).toBe(true);
  expect(await remove.call(hook(kept))).toBe(true);
  expect(webhooks.map(({ id }) => id)).toEqual(["wh_other"]);
  expect(kept).toEqual({});
});

it("an endpoint with other events, switched off or without its secret is replaced", async () => {
  const kept: Record<string, unknown> = {};
  await create.call(hook(kept));
  expect(await checkExists.call(hook(kept, ["delivery.failed"]))).toBe(false);
  expect(await checkExists.call(hook({}))).toBe(false);
  for (const webhook of webhooks) webhook.state = "disabled";
  expect(await checkExists.call(hook(kept))).toBe(false);
  await create.call(hook(kept));
  expect(webhooks.map(({ id }) => id)).toEqual(["wh_other", "wh_2"]);
});

it("an endpoint that is gone already is removed; one that cannot be removed now stays known", async () => {
  expect(await remove.call(hook({ endpoint: "wh_gone", secret: SECRET }))).toBe(true);
  const kept = { endpoint: "wh_1", secret: SECRET };
  const silent = await startService((response) => json(response, 403, { error: "scope_missing", message: "No." }));
  const asked = remove.call(hookOf(silent.url, { webhookUrl: ADDRESS, events: [], kept }));
  await expect(asked).rejects.toMatchObject({ name: "NodeApiError", message: "No.", httpCode: "403" });
  expect(kept.endpoint).toBe("wh_1");
  await silent.close();
});

/** A call as the service makes it. */
async function called(event: string, secret = SECRET) {
  const outbound = createOutbound({ allowPrivate: true, ownHosts: [] }, async () => []);
  const text = JSON.stringify({ event, id: "evt_1", text: "ü🌊" });
  await callWebhook(outbound, `${service.url}/hook`, { id: "evt_1", body: text }, [secret]);
  const { headers, body } = service.calls.at(-1) ?? { headers: {}, body: "" };
  return { headers, body: Buffer.from(body, "latin1") };
}

it("a call that the service has signed starts the workflow with its event", async () => {
  const { context, answered } = webhookOf({ ...(await called("delivery.failed")), kept: { secret: SECRET } });
  expect(await trigger.webhook.call(context)).toEqual({
    workflowData: [[{ json: { event: "delivery.failed", id: "evt_1", text: "ü🌊" } }]],
  });
  expect(answered).toEqual([]);
});

it("a call of another secret, a changed or unsigned one, and one to no endpoint are refused with 401", async () => {
  const good = await called("delivery.failed");
  const other = await called("delivery.failed", `whsec_${btoa("another one of 24 bytes.")}`);
  const kept = { secret: SECRET };
  const calls = [
    { ...other, kept },
    { ...good, body: Buffer.concat([good.body, Buffer.from(" ")]), kept },
    { ...good, headers: {}, kept },
    { ...good, kept: {} },
  ];
  for (const call of calls) {
    const { context, answered } = webhookOf(call);
    expect(await trigger.webhook.call(context)).toEqual({ noWebhookResponse: true });
    expect(answered).toMatchObject([{ status: 401, body: { message: expect.any(String) } }]);
  }
});

it("a good call that is repeated after five minutes is refused with 401", async () => {
  const call = await called("delivery.failed");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 301_000 });
  const { context, answered } = webhookOf({ ...call, kept: { secret: SECRET } });
  expect(await trigger.webhook.call(context)).toEqual({ noWebhookResponse: true });
  expect(answered).toMatchObject([{ status: 401 }]);
});

it("a test call is taken, and starts a workflow only in the editor", async () => {
  const call = { ...(await called("webhook.test")), kept: { secret: SECRET } };
  expect(await trigger.webhook.call(webhookOf(call).context)).toEqual({ webhookResponse: { received: true } });
  const inEditor = await trigger.webhook.call(webhookOf({ ...call, mode: "manual" }).context);
  expect(inEditor.workflowData).toMatchObject([[{ json: { event: "webhook.test" } }]]);
});

it("every event of the service can be chosen, by a name in order", () => {
  const [{ options = [] } = {}] = trigger.description.properties;
  const values = options.map((option) => ("value" in option ? option.value : ""));
  expect([...values].sort()).toEqual([...EVENT_NAMES].sort());
  const names = options.map(({ name }) => name);
  expect(names).toEqual([...names].sort());
});

it("a copy of a workflow leaves the endpoint of the original alone, also if its activation fails", async () => {
  const original = {};
  await create.call(hook(original));
  const copy = { ...original };
  const elsewhere = { webhookUrl: "https://n8n.example.com/webhook/2/webhook", events: ["post.approved"], kept: copy };
  expect(await checkExists.call(hookOf(service.url, elsewhere))).toBe(false);
  // n8n calls delete after an activation that failed.
  expect(await remove.call(hookOf(service.url, elsewhere))).toBe(true);
  expect(webhooks.map(({ id }) => id)).toEqual(["wh_other", "wh_1"]);
  expect(await checkExists.call(hook(original))).toBe(true);
});

it("a key that does not see the whole address is told that it must not remove the endpoint", async () => {
  const hidden = await startService((response, { method }) =>
    method === "GET"
      ? json(response, 200, { webhooks: [{ id: "wh_1", url: "https://n8n.example.com/..." }], next: null })
      : json(response, 403, { error: "scope_missing", message: "No." }),
  );
  const kept = { endpoint: "wh_1", secret: SECRET };
  const removed = remove.call(hookOf(hidden.url, { webhookUrl: ADDRESS, events: [], kept }));
  await expect(removed).rejects.toMatchObject({ name: "NodeApiError", httpCode: "403" });
  expect(kept).toEqual({ endpoint: "wh_1", secret: SECRET });
  await hidden.close();
});

it("an endpoint that is created without a secret is an error of the activation", async () => {
  const broken = await startService((response, { method }) =>
    method === "GET" ? json(response, 200, { webhooks: [], next: null }) : json(response, 201, { id: "wh_1" }),
  );
  const kept = {};
  const created = create.call(hookOf(broken.url, { webhookUrl: ADDRESS, events: ["delivery.failed"], kept }));
  await expect(created).rejects.toMatchObject({ name: "NodeOperationError" });
  expect(kept).toEqual({});
  await broken.close();
});

it.each([null, "delivery.failed", [1], {}])(
  "events of another type are an error of the activation: %j",
  async (events) => {
    const context = hook({});
    context.getNodeParameter = () => events;
    await expect(create.call(context)).rejects.toMatchObject({ message: "Events must be a list of event names" });
    expect(webhooks.map(({ id }) => id)).toEqual(["wh_other"]);
  },
);

it("a body that was parsed and written again does not fit its signature, and lists of headers do not either", async () => {
  const call = await called("delivery.failed");
  const again = Buffer.from(JSON.stringify(JSON.parse(new TextDecoder().decode(call.body)), null, 1));
  const headers = Object.fromEntries(Object.entries(call.headers).map(([name, value]) => [name, [String(value)]]));
  for (const changed of [
    { ...call, body: again },
    { ...call, body: Buffer.alloc(0) },
    { ...call, headers },
  ]) {
    const { context, answered } = webhookOf({ ...changed, kept: { secret: SECRET } });
    expect(await trigger.webhook.call(context)).toEqual({ noWebhookResponse: true });
    expect(answered).toMatchObject([{ status: 401 }]);
  }
});
