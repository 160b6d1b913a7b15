// The part of JSON Schema in which networks describe their own fields.
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
  /** The value is the id of a file of the library, of this kind. */
  "x-media"?: "image";
  /** Required unless another field has this value. */
  "x-required-unless"?: Record<string, string>;
}
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** What `GET /v1/platforms` says of `options` and `credentials` is always an object. */
export const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

export const isRecord = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A name of a field as a label. */
export function labelOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A map of what came as JSON. */
export const isJsonMap = (value: unknown): value is Record<string, Json | undefined> =>
  typeof value === "object" && value !== null;
