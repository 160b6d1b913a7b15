import {
  type IExecuteFunctions,
  type ILoadOptionsFunctions,
  type INodeExecutionData,
  type INodePropertyOptions,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
  NodeOperationError,
  type Properties,
} from "n8n-workflow";
import type { Client } from "../../../client/client.ts";
import { everyItem } from "../../../client/pages.ts";
import { LIST_LIMIT_MAX } from "../../../domain/limits.ts";
import { openClient } from "../../client.ts";
import { asNodeError } from "../../errors.ts";
import { findPosts } from "../../find.ts";
import { createPost } from "../../post.ts";
import { waitForOutcome } from "../../wait.ts";
import { FIND_FIELDS, POST_FIELDS, WAIT_FIELDS } from "./fields.ts";

type Run = (
  context: IExecuteFunctions,
  client: Client,
  item: number,
  /** When the node started its first item, in epoch milliseconds. */
  startedAt: number,
) => Promise<Properties[]>;
const OPERATIONS = new Map<unknown, Run>([
  ["post", createPost],
  ["find", findPosts],
  ["wait", waitForOutcome],
]);

/** Posts to social networks through Crier. */
export class Crier implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Crier",
    name: "crier",
    icon: "file:../../crier.svg",
    group: ["output"],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: "Publish one post to many social networks, on time and never twice",
    defaults: { name: "Crier" },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "crierApi", required: true }],
    properties: [
      {
        displayName: "Operation",
        name: "operation",
        type: "options",
        noDataExpression: true,
        options: [
          {
            name: "Find Posts",
            value: "find",
            description: "List posts that match filters",
            action: "Find posts",
          },
          {
            name: "Post",
            value: "post",
            description: "Publish a post now or later, or save it as a draft",
            action: "Post to channels",
          },
          {
            name: "Wait for Outcome",
            value: "wait",
            description: "Wait until every delivery of a post has ended",
            action: "Wait for the outcome of a post",
          },
        ],
        default: "post",
      },
      ...POST_FIELDS,
      ...FIND_FIELDS,
      ...WAIT_FIELDS,
    ],
  };

  methods = {
    loadOptions: {
      /** The workspace's channels. */
      async getChannels(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
        try {
          const client = await openClient(this);
          const options: INodePropertyOptions[] = [];
          const pages = everyItem(async (cursor) => {
            const { body } = await client.call("channels.list", { query: { limit: LIST_LIMIT_MAX, cursor } });
            return { items: body.channels, next: body.next };
          });
          for await (const { id, platform, handle, state } of pages) {
            const description = state === "connected" ? undefined : `Cannot publish now: ${state}`;
            options.push({ name: `${handle} (${platform})`, value: id, description });
          }
          return options;
        } catch (error) {
          throw asNodeError(this.getNode(), error);
        }
      },
    },
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const startedAt = Date.now();
    const client = await openClient(this, this.getExecutionCancelSignal());
    const outputItems: INodeExecutionData[] = [];
    for (const item of this.getInputData().keys()) {
      try {
        const run = OPERATIONS.get(this.getNodeParameter("operation", item));
        if (run === undefined) throw new NodeOperationError(this.getNode(), "Unknown operation");
        for (const json of await run(this, client, item, startedAt)) outputItems.push({ json, pairedItem: { item } });
      } catch (thrown) {
        const error = asNodeError(this.getNode(), thrown, item);
        if (!this.continueOnFail()) throw error;
        const { message, description } = error;
        outputItems.push({ json: { error: message, description }, pairedItem: { item } });
      }
    }
    return [outputItems];
  }
}
