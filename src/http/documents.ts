// What describes the service, for anybody: the OpenAPI document, its readable page, and a text for agents.
import type { Hono, Context as HonoContext } from "hono";
import { html, raw } from "hono/html";
import { docsBody } from "./docs/page.ts";
import { SCRIPT } from "./docs/script.ts";
import { STYLE } from "./docs/style.ts";
import { llmsText } from "./llms.ts";
import type { HttpEnv } from "./mount.ts";
import { openApi } from "./openapi/document.ts";
import { nonceOf, pagePolicy } from "./page.ts";

export function mountDocuments(app: Hono<HttpEnv>): void {
  app.get("/openapi.json", async (c) => {
    shareable(c);
    return c.body((await writtenFor(c)).openApi, 200, { "Content-Type": "application/json" });
  });
  app.get("/docs", pagePolicy({ forms: false }), async (c) => {
    const { docs } = await writtenFor(c);
    c.header("Cache-Control", "public, max-age=300");
    return c.html(html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Crier API</title><meta name="description" content="Every call of the Crier API, with examples and error codes.">
<style nonce="${nonceOf(c)}">${raw(STYLE)}</style></head><body>${raw(docs)}<script nonce="${nonceOf(c)}">${raw(SCRIPT)}</script></body></html>`);
  });
  app.get("/llms.txt", (c) => {
    shareable(c);
    return c.text(llmsText(c.var.ctx.settings.baseUrl));
  });
}

function shareable(c: HonoContext): void {
  c.header("Access-Control-Allow-Origin", "*");
  c.header("Cache-Control", "public, max-age=300");
}

interface Written {
  baseUrl: string;
  openApi: string;
  docs: string;
}
/** They change only with the code and the settings, so an isolate writes them once. */
let written: Written | undefined;

async function writtenFor(c: HonoContext<HttpEnv>): Promise<Written> {
  const { baseUrl, version } = c.var.ctx.settings;
  if (written?.baseUrl !== baseUrl) {
    const document = openApi(baseUrl, version);
    written = { baseUrl, openApi: JSON.stringify(document), docs: String(await docsBody(document)) };
  }
  return written;
}
