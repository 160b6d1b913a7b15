// The part of JSON Schema that networks use to describe their own fields.
export interface Schema {
  type?: string;
  enum?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  required?: string[];
  default?: unknown;
  description?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  format?: string;
  "x-lookup"?: boolean;
  /** The value is the id of a media file of this kind. */
  "x-media"?: "image";
  /** Required unless another field has this value. */
  "x-required-unless"?: Record<string, string>;
}
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** `options` and `credentials` from `GET /v1/platforms` are always objects. */
export const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

export const isRecord = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function toLabel(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether a JSON value is an object. */
export const isJsonMap = (value: unknown): value is Record<string, Json | undefined> =>
  typeof value === "object" && value !== null;
