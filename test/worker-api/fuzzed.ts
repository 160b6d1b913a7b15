// The operations of our own OpenAPI document, for requests that are generated from it.
import fc from "fast-check";
import { type DocumentedOperation, makeJudge, type OpenApi, type Schema } from "../support/openapi.ts";
import { call } from "../support/world.ts";

export const { body: document } = await call<OpenApi>("GET", "/openapi.json");
export const checkSchema = makeJudge(document);

export interface Operation extends DocumentedOperation {
  method: string;
  path: string;
  bodySchema: Schema | null;
}
export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path,
    [fc.toStringMethod]: () => operation.operationId,
    bodySchema: operation.requestBody?.content["application/json"]?.schema ?? null,
  })),
);
