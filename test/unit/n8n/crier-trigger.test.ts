// The trigger node of n8n: it registers an endpoint at the service, and webhook calls start the workflow.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createOutbound } from "../../../src/adapters/outbound.ts";
import { callWebhook } from "../../../src/adapters/webhook-call.ts";
import { EVENT_NAMES } from "../../../src/domain/event.ts";
import { CrierTrigger } from "../../../src/n8n/nodes/CrierTrigger/CrierTrigger.node.ts";
import { makeHookFunctions, makeWebhook } from "../../support/n8n.ts";
import { json, type Service, startService } from "../cli/service.ts";

const trigger = new CrierTrigger();
const { checkExists, create, delete: remove } = trigger.webhookMethods.default;
const SECRET = `whsec_${btoa("a secret of 24 bytes ...")}`;
const ADDRESS = "https://n8n.example.com/webhook/1/webhook";

let service: Service;
let webhooks: { id: string; url: string; events: string[]; state: string }[];
beforeEach(async () => {
  webhooks = [{ id: "wh_other", url: "https://elsewhere.example.com", events: ["delivery.failed"], state: "enabled" }];
  let created = 0;
  service = await startService((response, { method, path, body }) => {
    if (path.startsWith("/hook")) return response.end();
    if (method === "GET") return json(response, 200, { webhooks, next: null });
    const index = webhooks.findIndex(({ id }) => path === `/v1/webhooks/${id}`);
    if (method === "DELETE" && index < 0)
      return json(response, 404, { error: "not_found", message: "There is none.", request_id: "r" });
    if (method === "DELETE") {
      webhooks.splice(index, 1);
      return response.writeHead(204).end();
    }
    const webhook = { id: `wh_${++created}`, state: "enabled", ...JSON.parse(body) };
    webhooks.push(webhook);
    json(response, 201, { ...webhook, secret: SECRET });
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await service.close();
});

const makeHook = (stored: Record<string, unknown>, events = ["delivery.failed", "post.approved"]) =>
  makeHookFunctions(service.url, { webhookUrl: ADDRESS, events, stored });

it("the endpoint is registered with the chosen events on activation, and removed on deactivation", async () => {
  const stored = {};
  expect(await checkExists.call(makeHook(stored))).toBe(false);
  expect(await create.call(makeHook(stored))).toBe(true);
  expect(webhooks[1]).toMatchObject({ url: ADDRESS, events: ["delivery.failed", "post.approved"] });
  expect(stored).toEqual({ endpoint: "wh_1", secret: SECRET });
  expect(await checkExists.call(makeHook(stored, ["post.approved", "delivery.failed"]))).toBe(true);
  expect(await remove.call(makeHook(stored))).toBe(true);
  expect(webhooks.map(({ id }) => id)).toEqual(["wh_other"]);
  expect(stored).toEqual({});
});

it("an endpoint that has other events, is disabled or has no stored secret is replaced", async () => {
  const stored: Record<string, unknown> = {};
  await create.call(makeHook(stored));
  expect(await checkExists.call(makeHook(stored, ["delivery.failed"]))).toBe(false);
  expect(await checkExists.call(makeHook({}))).toBe(false);
  for (const webhook of webhooks) webhook.state = "disabled";
  expect(await checkExists.call(makeHook(stored))).toBe(false);
  await create.call(makeHook(stored));
  expect(webhooks.map(({ id }) => id)).toEqual(["wh_other", "wh_2"]);
});

it("an endpoint that no longer exists counts as removed, and an endpoint that cannot be removed stays stored", async () => {
  expect(await remove.call(makeHook({ endpoint: "wh_gone", secret: SECRET }))).toBe(true);
  const stored = { endpoint: "wh_1", secret: SECRET };
  const silent = await startService((response) => json(response, 403, { error: "scope_missing", message: "No." }));
  const removal = remove.call(makeHookFunctions(silent.url, { webhookUrl: ADDRESS, events: [], stored }));
  await expect(removal).rejects.toMatchObject({ name: "NodeApiError", message: "No.", httpCode: "403" });
  expect(stored.endpoint).toBe("wh_1");
  await silent.close();
});

/** Receives a webhook call as the service makes it. */
async function receiveCall(event: string, secret = SECRET) {
  const outbound = createOutbound({ allowPrivate: true, ownHosts: [] }, async () => []);
  const text = JSON.stringify({ event, id: "evt_1", text: "ü🌊" });
  await callWebhook(outbound, `${service.url}/hook`, { id: "evt_1", body: text }, [secret]);
  const { headers, body } = service.calls.at(-1) ?? { headers: {}, body: "" };
  return { headers, body: Buffer.from(body, "latin1") };
}

it("a call that the service has signed starts the workflow with its event", async () => {
  const { context, answered } = makeWebhook({ ...(await receiveCall("delivery.failed")), stored: { secret: SECRET } });
  expect(await trigger.webhook.call(context)).toEqual({
    workflowData: [[{ json: { event: "delivery.failed", id: "evt_1", text: "ü🌊" } }]],
  });
  expect(answered).toEqual([]);
});

it("a call with another secret, a changed or unsigned call, and a call without a stored secret are refused with 401", async () => {
  const good = await receiveCall("delivery.failed");
  const otherCall = await receiveCall("delivery.failed", `whsec_${btoa("another one of 24 bytes.")}`);
  const stored = { secret: SECRET };
  const calls = [
    { ...otherCall, stored },
    { ...good, body: Buffer.concat([good.body, Buffer.from(" ")]), stored },
    { ...good, headers: {}, stored },
    { ...good, stored: {} },
  ];
  for (const call of calls) {
    const { context, answered } = makeWebhook(call);
    expect(await trigger.webhook.call(context)).toEqual({ noWebhookResponse: true });
    expect(answered).toMatchObject([{ status: 401, body: { message: expect.any(String) } }]);
  }
});

it("a valid call that is repeated after five minutes is refused with 401", async () => {
  const call = await receiveCall("delivery.failed");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 301_000 });
  const { context, answered } = makeWebhook({ ...call, stored: { secret: SECRET } });
  expect(await trigger.webhook.call(context)).toEqual({ noWebhookResponse: true });
  expect(answered).toMatchObject([{ status: 401 }]);
});

it("a test call is accepted, and starts a workflow only in the editor", async () => {
  const call = { ...(await receiveCall("webhook.test")), stored: { secret: SECRET } };
  expect(await trigger.webhook.call(makeWebhook(call).context)).toEqual({ webhookResponse: { received: true } });
  const inEditor = await trigger.webhook.call(makeWebhook({ ...call, mode: "manual" }).context);
  expect(inEditor.workflowData).toMatchObject([[{ json: { event: "webhook.test" } }]]);
});

it("every event of the service can be chosen, in alphabetical order of the names", () => {
  const [{ options = [] } = {}] = trigger.description.properties;
  const values = options.map((option) => ("value" in option ? option.value : ""));
  expect([...values].sort()).toEqual([...EVENT_NAMES].sort());
  const names = options.map(({ name }) => name);
  expect(names).toEqual([...names].sort());
});

it("a copy of a workflow does not remove the endpoint of the original, even if its activation fails", async () => {
  const original = {};
  await create.call(makeHook(original));
  const copy = { ...original };
  const elsewhere = {
    webhookUrl: "https://n8n.example.com/webhook/2/webhook",
    events: ["post.approved"],
    stored: copy,
  };
  expect(await checkExists.call(makeHookFunctions(service.url, elsewhere))).toBe(false);
  // n8n calls delete after a failed activation.
  expect(await remove.call(makeHookFunctions(service.url, elsewhere))).toBe(true);
  expect(webhooks.map(({ id }) => id)).toEqual(["wh_other", "wh_1"]);
  expect(await checkExists.call(makeHook(original))).toBe(true);
});

it("a key that may not read the whole address gets an error when it removes the endpoint", async () => {
  const hidden = await startService((response, { method }) =>
    method === "GET"
      ? json(response, 200, { webhooks: [{ id: "wh_1", url: "https://n8n.example.com/..." }], next: null })
      : json(response, 403, { error: "scope_missing", message: "No." }),
  );
  const stored = { endpoint: "wh_1", secret: SECRET };
  const removed = remove.call(makeHookFunctions(hidden.url, { webhookUrl: ADDRESS, events: [], stored }));
  await expect(removed).rejects.toMatchObject({ name: "NodeApiError", httpCode: "403" });
  expect(stored).toEqual({ endpoint: "wh_1", secret: SECRET });
  await hidden.close();
});

it("an endpoint that is created without a secret is an error of the activation", async () => {
  const broken = await startService((response, { method }) =>
    method === "GET" ? json(response, 200, { webhooks: [], next: null }) : json(response, 201, { id: "wh_1" }),
  );
  const stored = {};
  const created = create.call(
    makeHookFunctions(broken.url, { webhookUrl: ADDRESS, events: ["delivery.failed"], stored }),
  );
  await expect(created).rejects.toMatchObject({ name: "NodeOperationError" });
  expect(stored).toEqual({});
  await broken.close();
});

it.each([null, "delivery.failed", [1], {}])(
  "events of another type are an error of the activation: %j",
  async (events) => {
    const context = makeHook({});
    context.getNodeParameter = () => events;
    await expect(create.call(context)).rejects.toMatchObject({ message: "Events must be a list of event names" });
    expect(webhooks.map(({ id }) => id)).toEqual(["wh_other"]);
  },
);

it("a body that was parsed and serialized again, an empty body and headers as lists are refused with 401", async () => {
  const call = await receiveCall("delivery.failed");
  const again = Buffer.from(JSON.stringify(JSON.parse(new TextDecoder().decode(call.body)), null, 1));
  const headers = Object.fromEntries(Object.entries(call.headers).map(([name, value]) => [name, [String(value)]]));
  for (const changed of [
    { ...call, body: again },
    { ...call, body: Buffer.alloc(0) },
    { ...call, headers },
  ]) {
    const { context, answered } = makeWebhook({ ...changed, stored: { secret: SECRET } });
    expect(await trigger.webhook.call(context)).toEqual({ noWebhookResponse: true });
    expect(answered).toMatchObject([{ status: 401 }]);
  }
});
