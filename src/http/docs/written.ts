// The OpenAPI document and its page as texts. They are long, and an invocation on Workers Free has 10 ms of processor time
// (developers.cloudflare.com/workers/platform/limits, read 2026-11-24): so they are written at build, with placeholders for
// what a deployment alone knows, and only filled in when somebody asks.
import { openApi } from "../openapi/document.ts";
import { docsBody } from "./page.ts";
import type { WRITTEN_FILES } from "./written-files.ts";

export interface Written extends Record<keyof typeof WRITTEN_FILES, string> {
  /** What stands between `<body>` and `</body>`. */
  docs: string;
}

const BASE_URL = "https://base-url.invalid";
const VERSION = "version.invalid";

export async function writeDocuments(baseUrl: string, version: string): Promise<Written> {
  const document = openApi(baseUrl, version);
  return { openApi: JSON.stringify(document), docs: String(await docsBody(document)) };
}

/** For any deployment. */
export const writeTemplates = (): Promise<Written> => writeDocuments(BASE_URL, VERSION);

/** A template as one deployment shows it. */
export const fillTemplate = (template: string, baseUrl: string, version: string): string =>
  template.replaceAll(BASE_URL, baseUrl).replaceAll(VERSION, version);
