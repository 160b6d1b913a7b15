// n8n as a node sees it: the functions that it is called with, over real requests.
import type {
  FunctionsBase,
  IBinaryData,
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
      httpRequestWithAuthentication: (_type: string, { headers, ...options }: IHttpRequestOptions) =>
        request({ ...options, headers: { ...headers, authorization: `Bearer ${key}` } }),
    },
  };
}

async function request(options: IHttpRequestOptions) {
  const { url, method, headers, body: sent, disableFollowRedirect, abortSignal: signal } = options;
  const body = typeof sent === "string" ? sent : sent && new Blob([new Uint8Array(sent)]);
  const response = await fetch(url, {
    method,
    headers,
    body,
    redirect: disableFollowRedirect ? "manual" : "follow",
    signal,
  });
  return { statusCode: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
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
  /** The binary fields that each item has. */
  binary?: Record<string, IBinaryData & { content: Uint8Array<ArrayBuffer> }>;
}

/** A run of a node in an execution. */
export function executionOf(url: string, execution: Execution): IExecuteFunctions {
  const { items, key = "crier_live_key", context = {}, runIndex = 0, node, signal, binary = {} } = execution;
  const base = baseOf(url, key, node === undefined ? {} : { id: node });
  const findBinary = (field: string) => {
    const found = binary[field];
    if (found === undefined) throw new Error(`This operation expects the node's input data to contain '${field}'`);
    return found;
  };
  return {
    ...base,
    helpers: {
      ...base.helpers,
      assertBinaryData: (_item, field) => findBinary(field),
      getBinaryDataBuffer: async (_item, field) => findBinary(field).content,
      httpRequest: request,
    },
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
  stored: Properties;
}

/** A workflow with a trigger that is switched on or off. */
export function hookOf(url: string, { webhookUrl, events, stored, key = "crier_live_key" }: Hook): IHookFunctions {
  return {
    ...baseOf(url, key),
    getNodeParameter: () => events,
    getNodeWebhookUrl: () => webhookUrl,
    getWorkflowStaticData: () => stored,
  };
}

interface Received {
  headers: Record<string, string | string[] | undefined>;
  body: Uint8Array;
  stored: Properties;
  mode?: string;
}

/** A call of a trigger's address, and what it is answered with when the node answers itself. */
export function webhookOf({ headers, body, stored, mode = "webhook" }: Received): {
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
    getWorkflowStaticData: () => stored,
  };
  return { context, answered };
}
