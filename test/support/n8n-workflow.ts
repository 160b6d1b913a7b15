// The part of `n8n-workflow` that the nodes need at run time. Inside n8n they get the real package.
import type { INode, Properties } from "n8n-workflow";

interface Options {
  message?: string;
  description?: string;
  itemIndex?: number;
  httpCode?: string;
}

export const NodeConnectionTypes = { Main: "main" } as const;

export class NodeOperationError extends Error {
  override name = "NodeOperationError";
  description: string | null | undefined;
  readonly node: INode;
  readonly context: { itemIndex?: number };
  constructor(node: INode, error: Error | string, { message, description, itemIndex }: Options = {}) {
    super(message ?? (typeof error === "string" ? error : error.message));
    this.node = node;
    this.description = description;
    this.context = { itemIndex };
  }
}

export class NodeApiError extends Error {
  override name = "NodeApiError";
  description: string | null | undefined;
  readonly httpCode: string | null;
  readonly node: INode;
  readonly context: { itemIndex?: number };
  constructor(node: INode, answer: Properties, { message, description, itemIndex, httpCode }: Options = {}) {
    super(message ?? String(answer.message));
    this.node = node;
    this.description = description;
    this.httpCode = httpCode ?? null;
    this.context = { itemIndex };
  }
}
