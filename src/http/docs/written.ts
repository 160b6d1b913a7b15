// The OpenAPI document and its page as text. Both are long, and an invocation on Workers Free has 10 ms of CPU time
// (developers.cloudflare.com/workers/platform/limits, read 2026-11-24). So the build writes them with placeholders for the
// values that only a deployment knows, and a request fills those in.
import { escapeHtml } from "../../domain/encoding.ts";
import { openApi } from "../openapi/document.ts";
import { docsBody } from "./page.ts";
import type { WRITTEN_FILES } from "./written-files.ts";

export interface Written extends Record<keyof typeof WRITTEN_FILES, string> {
  /** The content of `<body>`. */
  docs: string;
}

const BASE_URL = "https://base-url.invalid";
const VERSION = "version.invalid";

export async function writeDocuments(baseUrl: string, version: string): Promise<Written> {
  const document = openApi(baseUrl, version);
  return { openApi: JSON.stringify(document), docs: String(await docsBody(document)) };
}

/** Writes the documents with placeholders, for any deployment. */
export const writeTemplates = (): Promise<Written> => writeDocuments(BASE_URL, VERSION);

/** Writes a value into a template: text into HTML, or into a string of JSON. */
const ESCAPES = {
  openApi: (text: string): string => JSON.stringify(text).slice(1, -1),
  docs: escapeHtml,
} as const satisfies Record<keyof Written, (text: string) => string>;

/** Fills in a template's placeholders for one deployment. A setting may have characters that mean something in the document. */
export const fillTemplate = (kind: keyof Written, template: string, baseUrl: string, version: string): string =>
  template.replaceAll(BASE_URL, () => ESCAPES[kind](baseUrl)).replaceAll(VERSION, () => ESCAPES[kind](version));
