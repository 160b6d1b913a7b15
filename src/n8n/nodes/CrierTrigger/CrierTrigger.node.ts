import {
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
  NodeOperationError,
} from "n8n-workflow";
import { verifyWebhook, WebhookInvalid } from "../../../client/webhook.ts";
import { WEBHOOK_TEST } from "../../../domain/event.ts";
import { asNodeError } from "../../errors.ts";
import { EVENT_OPTIONS } from "../../events.ts";
import { createEndpoint, hasEndpoint, removeEndpoint } from "./endpoint.ts";

/** Starts a workflow on events from Crier. */
export class CrierTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Crier Trigger",
    name: "crierTrigger",
    icon: "file:../../crier.svg",
    group: ["trigger"],
    version: 1,
    subtitle: '={{$parameter["events"].join(", ")}}',
    description: "Starts the workflow when a post is live, has failed, or needs attention",
    defaults: { name: "Crier Trigger" },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "crierApi", required: true }],
    webhooks: [{ name: "default", httpMethod: "POST", responseMode: "onReceived", path: "webhook" }],
    properties: [
      {
        displayName: "Events",
        name: "events",
        type: "multiOptions",
        options: EVENT_OPTIONS,
        default: ["delivery.succeeded", "delivery.failed"],
        required: true,
        description: "An event may arrive more than once, with the same ID",
      },
    ],
  };

  webhookMethods = {
    default: {
      /** Whether the endpoint is registered with the node's current settings. */
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return withNodeErrors(this, hasEndpoint);
      },
      /** On activation. */
      async create(this: IHookFunctions): Promise<boolean> {
        return withNodeErrors(this, createEndpoint);
      },
      /** On deactivation. */
      async delete(this: IHookFunctions): Promise<boolean> {
        return withNodeErrors(this, removeEndpoint);
      },
    },
  };

  /** Starts the workflow for a call that the service has signed, and rejects any other. */
  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const request = this.getRequestObject();
    if (request.rawBody === undefined) await request.readRawBody?.();
    const body = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(request.rawBody);
    const { secret } = this.getWorkflowStaticData("node");
    if (typeof secret !== "string") return refuse(this, "The endpoint is not registered.");
    try {
      const event = await verifyWebhook({ body, headers: request.headers }, secret);
      // A test call is not a real event, so only a person who listens in the editor sees it.
      if (event.event === WEBHOOK_TEST && this.getMode() !== "manual") return { webhookResponse: { received: true } };
      return { workflowData: [[{ json: { ...event } }]] };
    } catch (error) {
      if (!(error instanceof WebhookInvalid)) throw new NodeOperationError(this.getNode(), String(error));
      return refuse(this, error.message);
    }
  }
}

function refuse(context: IWebhookFunctions, message: string): IWebhookResponseData {
  context.getResponseObject().status(401).json({ message });
  return { noWebhookResponse: true };
}

async function withNodeErrors(
  context: IHookFunctions,
  act: (context: IHookFunctions) => Promise<boolean>,
): Promise<boolean> {
  try {
    return await act(context);
  } catch (error) {
    throw asNodeError(context.getNode(), error);
  }
}
