// The labels of a schema's fields: our own, or else the names in the schema.
import type { ReactNode } from "react";
import type { OptionWords } from "../words/options/option-words.ts";
import { type Json, type Schema, toLabel } from "./schema.ts";

export interface FieldProps {
  name: string;
  schema: Schema;
  /** Its labels; a field without them is named after its schema. */
  words?: OptionWords | undefined;
  value: Json | undefined;
  required?: boolean;
  onChange(value: Json | undefined): void;
  /** The problems of the field, shown below it. */
  children?: ReactNode;
}

export const buildLabel = ({ name, words, required = false }: FieldProps) =>
  (words?.label ?? toLabel(name)) + (required ? "" : " (optional)");

/** The choice that leaves the value to the network. */
export function nameUnset({ words, schema: { default: value } }: FieldProps): string {
  if (words?.unset !== undefined) return words.unset;
  const label = words?.values?.[String(value)];
  return label === undefined || label === "Automatic" ? (label ?? "Default") : `Default (${label})`;
}

/** The labels of a field of an object, or of an entry of a list. */
export function wordsInside(words: OptionWords | undefined, field: string): OptionWords | undefined {
  const fieldWords = words?.fields?.[field];
  return fieldWords === undefined ? undefined : { ...fieldWords, group: "common" };
}

export const toShown = (value: number, words: OptionWords | undefined) =>
  words?.shows === "seconds" ? value / 1_000 : words?.shows === "position" ? value + 1 : value;
export const fromShown = (value: number, words: OptionWords | undefined) =>
  words?.shows === "seconds" ? Math.round(value * 1_000) : words?.shows === "position" ? value - 1 : value;
