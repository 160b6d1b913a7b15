// Stands in for n8n: the functions that n8n passes to a node, over real requests.
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

/** Makes the functions that n8n passes to every method of a node. */
export function makeBase(url: string, key: string, node: Partial<INode> = {}): FunctionsBase {
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
  const { url, method, headers, body: requestBody, disableFollowRedirect, abortSignal: signal } = options;
  const body = typeof requestBody === "string" ? requestBody : requestBody && new Blob([new Uint8Array(requestBody)]);
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
  /** The parameters of the node, for each incoming item. */
  items: Properties[];
  key?: string;
  id?: string;
  instance?: string;
  node?: string;
  runIndex?: number;
  /** The data that n8n stores with the execution and passes to a retry. */
  context?: Properties;
  continueOnFail?: boolean;
  signal?: AbortSignal;
  /** The binary fields of each item. */
  binary?: Record<string, IBinaryData & { content: Uint8Array<ArrayBuffer> }>;
}

/** Makes a run of a node in an execution. */
export function makeExecution(url: string, execution: Execution): IExecuteFunctions {
  const { items, key = "crier_live_key", context = {}, runIndex = 0, node, signal, binary = {} } = execution;
  const base = makeBase(url, key, node === undefined ? {} : { id: node });
  const findBinary = (field: string) => {
    const file = binary[field];
    if (file === undefined) throw new Error(`This operation expects the node's input data to contain '${field}'`);
    return file;
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
  /** The data that n8n stores with the workflow. */
  stored: Properties;
}

/** Makes a workflow with a trigger that is activated or deactivated. */
export function makeHookFunctions(
  url: string,
  { webhookUrl, events, stored, key = "crier_live_key" }: Hook,
): IHookFunctions {
  return {
    ...makeBase(url, key),
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

/** Makes a call of a trigger's address. `answered` lists the answers that the node sends itself. */
export function makeWebhook({ headers, body, stored, mode = "webhook" }: Received): {
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
    ...makeBase("http://127.0.0.1:9", "crier_live_key"),
    getMode: () => mode,
    getRequestObject: () => request,
    getResponseObject: () => ({ status: (status) => ({ json: (body) => answered.push({ status, body }) }) }),
    getWorkflowStaticData: () => stored,
  };
  return { context, answered };
}
