// n8n as a node sees it: the functions that it is called with, over real requests.
import type {
  FunctionsBase,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestOptions,
  INode,
  IWebhookFunctions,
  Properties,
} from "n8n-workflow";

const NODE: INode = {
  id: "node-1",
  name: "Crier",
  type: "n8n-nodes-crier.crier",
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
};

/** What every function of a node is called with. */
export function baseOf(url: string, key: string, node: Partial<INode> = {}): FunctionsBase {
  const credential: Properties = { url, apiKey: key };
  return {
    getCredentials: async () => JSON.parse(JSON.stringify(credential)),
    getNode: () => ({ ...NODE, ...node }),
    helpers: {
      async httpRequestWithAuthentication(_type: string, options: IHttpRequestOptions) {
        const response = await fetch(options.url, {
          method: options.method,
          headers: { ...options.headers, authorization: `Bearer ${key}` },
          body: options.body,
          redirect: options.disableFollowRedirect ? "manual" : "follow",
          signal: options.abortSignal,
        });
        const body = await response.text();
        return { statusCode: response.status, headers: Object.fromEntries(response.headers), body };
      },
    },
  };
}

export interface Execution {
  /** One for each item that comes in. */
  items: Properties[];
  key?: string;
  id?: string;
  instance?: string;
  node?: string;
  runIndex?: number;
  /** What n8n keeps with the execution, and gives to one that retries it. */
  context?: Properties;
  continueOnFail?: boolean;
  signal?: AbortSignal;
}

/** A run of a node in an execution. */
export function executionOf(url: string, execution: Execution): IExecuteFunctions {
  const { items, key = "crier_live_key", context = {}, runIndex = 0, node, signal } = execution;
  return {
    ...baseOf(url, key, node === undefined ? {} : { id: node }),
    continueOnFail: () => execution.continueOnFail ?? false,
    getContext: () => context,
    getExecutionCancelSignal: () => signal,
    getExecutionId: () => execution.id ?? "71",
    getInputData: () => items.map(() => ({ json: {} })),
    getInstanceId: () => execution.instance ?? "instance-1",
    getNodeParameter: (name, item, fallback) => items[item]?.[name] ?? fallback,
    getWorkflowDataProxy: () => ({ $runIndex: runIndex }),
  };
}

interface Hook {
  webhookUrl: string;
  events: string[];
  key?: string;
  /** What n8n keeps with the workflow. */
  kept: Properties;
}

/** A workflow with a trigger that is switched on or off. */
export function hookOf(url: string, { webhookUrl, events, kept, key = "crier_live_key" }: Hook): IHookFunctions {
  return {
    ...baseOf(url, key),
    getNodeParameter: () => events,
    getNodeWebhookUrl: () => webhookUrl,
    getWorkflowStaticData: () => kept,
  };
}

interface Received {
  headers: Record<string, string | string[] | undefined>;
  body: Uint8Array;
  kept: Properties;
  mode?: string;
}

/** A call of a trigger's address, and what it is answered with when the node answers itself. */
export function webhookOf({ headers, body, kept, mode = "webhook" }: Received): {
  context: IWebhookFunctions;
  answered: { status: number; body: Properties }[];
} {
  const answered: { status: number; body: Properties }[] = [];
  // The bytes are there once they were read.
  const request: ReturnType<IWebhookFunctions["getRequestObject"]> = {
    headers,
    async readRawBody() {
      request.rawBody = body;
    },
  };
  const context: IWebhookFunctions = {
    ...baseOf("http://127.0.0.1:9", "crier_live_key"),
    getMode: () => mode,
    getRequestObject: () => request,
    getResponseObject: () => ({ status: (status) => ({ json: (body) => answered.push({ status, body }) }) }),
    getWorkflowStaticData: () => kept,
  };
  return { context, answered };
}
