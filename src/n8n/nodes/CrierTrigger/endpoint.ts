// The endpoint that a trigger registers with the service while its workflow is active.
import { type IHookFunctions, NodeOperationError } from "n8n-workflow";
import type { Answer, Body, Client } from "../../../client/client.ts";
import { Refusal } from "../../../client/errors.ts";
import { everyItem } from "../../../client/pages.ts";
import { LIST_LIMIT_MAX } from "../../../domain/limits.ts";
import { openClient } from "../../client.ts";
import { asNodeError } from "../../errors.ts";

type Webhook = Answer<"webhooks.list">["webhooks"][number];
type Events = NonNullable<Body<"webhooks.create">["events"]>;

function getWebhookUrl(context: IHookFunctions): string {
  const url = context.getNodeWebhookUrl("default");
  if (url === undefined) throw new NodeOperationError(context.getNode(), "n8n has no address for this trigger");
  return url;
}

function readEvents(context: IHookFunctions): Events {
  const events = context.getNodeParameter("events");
  const isList = Array.isArray(events) && events.every((event) => typeof event === "string");
  if (!isList) throw new NodeOperationError(context.getNode(), "Events must be a list of event names");
  // The service refuses event names that it does not know.
  return JSON.parse(JSON.stringify(events));
}

async function findEndpoints(client: Client, matches: (webhook: Webhook) => boolean): Promise<Webhook[]> {
  const webhooks: Webhook[] = [];
  const pages = everyItem(async (cursor) => {
    const { body } = await client.call("webhooks.list", { query: { limit: LIST_LIMIT_MAX, cursor } });
    return { items: body.webhooks, next: body.next };
  });
  for await (const webhook of pages) if (matches(webhook)) webhooks.push(webhook);
  return webhooks;
}

/** The endpoints at this trigger's address, which no other trigger uses. */
const endpointsAt = (client: Client, url: string) => findEndpoints(client, (webhook) => webhook.url === url);

/** Whether the only registered endpoint is the one whose secret is stored, is enabled, and receives the selected events. */
export async function hasEndpoint(context: IHookFunctions): Promise<boolean> {
  const { endpoint, secret } = context.getWorkflowStaticData("node");
  if (typeof endpoint !== "string" || typeof secret !== "string") return false;
  const [only, ...otherEndpoints] = await endpointsAt(await openClient(context), getWebhookUrl(context));
  const expectedEvents = [...readEvents(context)].sort().join();
  return (
    only?.id === endpoint &&
    otherEndpoints.length === 0 &&
    only.state === "enabled" &&
    [...only.events].sort().join() === expectedEvents
  );
}

/** Registers the endpoint, and replaces any old one whose secret is lost or whose events differ. */
export async function createEndpoint(context: IHookFunctions): Promise<boolean> {
  const [client, url] = [await openClient(context), getWebhookUrl(context)];
  for (const { id } of await endpointsAt(client, url)) await remove(context, client, id);
  const { body } = await client.call("webhooks.create", { body: { url, events: readEvents(context) } });
  // Without a secret, the trigger would reject every call.
  if (typeof body.id !== "string" || typeof body.secret !== "string") {
    throw new NodeOperationError(context.getNode(), "The service has returned no secret for the endpoint");
  }
  Object.assign(context.getWorkflowStaticData("node"), { endpoint: body.id, secret: body.secret });
  return true;
}

/** Removes the endpoint. If that fails, its id is kept. */
export async function removeEndpoint(context: IHookFunctions): Promise<boolean> {
  const staticData = context.getWorkflowStaticData("node");
  const { endpoint } = staticData;
  if (typeof endpoint === "string") {
    const [client, url] = [await openClient(context), getWebhookUrl(context)];
    // A copy of a workflow can have the id of the original's endpoint, which has another address and stays. A key that may not
    // manage webhooks sees only `https://host/...`: its call is made, so that its refusal is shown.
    const hiddenUrl = `${new URL(url).origin}/...`;
    const isOwn = (webhook: Webhook) => webhook.url === url || (webhook.id === endpoint && webhook.url === hiddenUrl);
    for (const { id } of await findEndpoints(client, isOwn)) await remove(context, client, id);
  }
  delete staticData.endpoint;
  delete staticData.secret;
  return true;
}

/** A missing endpoint counts as removed. */
async function remove(context: IHookFunctions, client: Client, id: string): Promise<void> {
  try {
    await client.call("webhooks.remove", { params: { id } });
  } catch (error) {
    if (!(error instanceof Refusal && error.code === "not_found")) throw asNodeError(context.getNode(), error);
  }
}
