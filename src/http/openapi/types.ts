// The part of OpenAPI 3.1 that our document uses.
import type { AccountScope } from "../../domain/account-scopes.ts";
import type { Role, Scope } from "../../domain/roles.ts";

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  title?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  examples?: unknown[];
}

export interface Reference {
  $ref: string;
}
export interface Example {
  summary: string;
  value: unknown;
}
export interface Content {
  "application/json": { schema: Schema; examples: Record<string, Example | Reference> };
}
/** A body: JSON, or a file of one of these types. */
export type ContentByType = Record<string, Content["application/json"]>;
export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}
interface Header {
  description: string;
  schema: Schema;
}
export interface ResponseObject {
  description: string;
  headers: Record<string, Header | Reference>;
  content?: ContentByType;
}
export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  "x-role"?: Role;
  "x-scopes"?: Scope[];
  "x-account-scopes"?: AccountScope[];
  parameters?: (Parameter | Reference)[];
  requestBody?: { required: boolean; content: ContentByType };
  responses: Record<string, ResponseObject>;
}
export interface Document {
  openapi: "3.1.0";
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  /** Calls to endpoints of the API's user, by event. */
  webhooks: Record<string, { post: OperationObject }>;
  components: {
    schemas: Record<string, Schema>;
    examples: Record<string, Example>;
    parameters: Record<string, Parameter>;
    headers: Record<string, Header>;
    securitySchemes: Record<string, Record<string, string>>;
  };
}
