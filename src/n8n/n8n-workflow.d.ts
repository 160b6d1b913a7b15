// The types of n8n-workflow that the nodes use. n8n provides the package itself, which is too large to install for its types.
declare module "n8n-workflow" {
  export type Properties = Record<string, unknown>;

  export interface INode {
    id: string;
    name: string;
    type: string;
    typeVersion: number;
    position: [number, number];
    parameters: Properties;
  }
  export interface INodePropertyOptions {
    name: string;
    value: string;
    description?: string;
    action?: string;
  }
  export interface INodePropertyCollection {
    name: string;
    displayName: string;
    values: INodeProperties[];
  }
  export interface INodeProperties {
    displayName: string;
    name: string;
    type:
      | "boolean"
      | "collection"
      | "dateTime"
      | "fixedCollection"
      | "json"
      | "multiOptions"
      | "number"
      | "options"
      | "string";
    default: string | number | boolean | string[] | Properties;
    description?: string;
    hint?: string;
    placeholder?: string;
    noDataExpression?: boolean;
    required?: boolean;
    displayOptions?: { show?: Record<string, (string | boolean)[]> };
    typeOptions?: {
      loadOptionsMethod?: string;
      minValue?: number;
      multipleValues?: boolean;
      password?: boolean;
      rows?: number;
    };
    options?: (INodePropertyOptions | INodeProperties | INodePropertyCollection)[];
  }
  export interface INodeTypeDescription {
    displayName: string;
    name: string;
    icon: `file:${string}.svg`;
    group: ("output" | "trigger")[];
    version: number;
    subtitle?: string;
    description: string;
    defaults: { name: string };
    inputs: "main"[];
    outputs: "main"[];
    credentials: { name: string; required: boolean }[];
    webhooks?: { name: "default"; httpMethod: "POST"; responseMode: "onReceived"; path: string }[];
    properties: INodeProperties[];
  }

  export interface IHttpRequestOptions {
    url: string;
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    headers: Record<string, string>;
    body?: string | Uint8Array;
    encoding: "text";
    json: boolean;
    returnFullResponse: boolean;
    ignoreHttpStatusErrors: boolean;
    disableFollowRedirect: boolean;
    abortSignal?: AbortSignal;
  }
  interface FunctionsBase {
    getCredentials<Fields extends object>(type: string): Promise<Fields>;
    getNode(): INode;
    helpers: {
      httpRequestWithAuthentication(
        this: FunctionsBase,
        credentialsType: string,
        request: IHttpRequestOptions,
      ): Promise<unknown>;
    };
  }
  export interface IBinaryData {
    mimeType: string;
    fileName?: string;
  }
  export interface IExecuteFunctions extends FunctionsBase {
    helpers: FunctionsBase["helpers"] & {
      /** Throws if the item has no such field. */
      assertBinaryData(itemIndex: number, field: string): IBinaryData;
      getBinaryDataBuffer(itemIndex: number, field: string): Promise<Uint8Array<ArrayBuffer>>;
      httpRequest(request: IHttpRequestOptions): Promise<unknown>;
    };
    continueOnFail(): boolean;
    getContext(type: "node"): Properties;
    getExecutionCancelSignal(): AbortSignal | undefined;
    getExecutionId(): string | undefined;
    getInputData(): INodeExecutionData[];
    getInstanceId(): string;
    getNodeParameter(name: string, itemIndex: number, fallback?: unknown): unknown;
    getWorkflowDataProxy(itemIndex: number): { $runIndex: number };
  }
  export interface ILoadOptionsFunctions extends FunctionsBase {}
  export interface IHookFunctions extends FunctionsBase {
    getNodeParameter(name: string, fallback?: unknown): unknown;
    getNodeWebhookUrl(name: "default"): string | undefined;
    getWorkflowStaticData(type: "node"): Properties;
  }
  export interface IWebhookFunctions extends FunctionsBase {
    getMode(): string;
    getRequestObject(): {
      headers: Record<string, string | string[] | undefined>;
      rawBody?: Uint8Array;
      readRawBody?(): Promise<void>;
    };
    getResponseObject(): { status(code: number): { json(body: Properties): unknown } };
    getWorkflowStaticData(type: "node"): Properties;
  }

  export interface INodeExecutionData {
    json: Properties;
    pairedItem?: { item: number };
  }
  export interface IWebhookResponseData {
    workflowData?: INodeExecutionData[][];
    noWebhookResponse?: boolean;
    webhookResponse?: unknown;
  }
  export interface INodeType {
    description: INodeTypeDescription;
    methods?: {
      loadOptions?: Record<string, (this: ILoadOptionsFunctions) => Promise<INodePropertyOptions[]>>;
    };
    webhookMethods?: {
      default: Record<"checkExists" | "create" | "delete", (this: IHookFunctions) => Promise<boolean>>;
    };
    execute?(this: IExecuteFunctions): Promise<INodeExecutionData[][]>;
    webhook?(this: IWebhookFunctions): Promise<IWebhookResponseData>;
  }
  export interface ICredentialType {
    name: string;
    displayName: string;
    icon: `file:${string}.svg`;
    properties: INodeProperties[];
    authenticate: { type: "generic"; properties: { headers: Record<string, string> } };
    test: { request: { baseURL: string; url: string } };
  }

  export const NodeConnectionTypes: { readonly Main: "main" };

  interface ErrorOptions {
    message?: string;
    description?: string;
    itemIndex?: number;
  }
  export class NodeOperationError extends Error {
    constructor(node: INode, error: Error | string, options?: ErrorOptions);
    description: string | null | undefined;
  }
  export class NodeApiError extends Error {
    constructor(node: INode, errorResponse: Properties, options?: ErrorOptions & { httpCode?: string });
    description: string | null | undefined;
    httpCode: string | null;
  }
}
