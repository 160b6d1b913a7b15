// The public descriptions of the service: the OpenAPI document, its readable page, and a text for agents.
import type { Hono, Context as HonoContext } from "hono";
import { html, raw } from "hono/html";
import type { Env } from "../env.ts";
import { SCRIPT } from "./docs/script.ts";
import { STYLE } from "./docs/style.ts";
import { fillTemplate, type Written, writeDocuments } from "./docs/written.ts";
import { WRITTEN_FILES } from "./docs/written-files.ts";
import { llmsText } from "./llms.ts";
import type { HttpEnv } from "./mount.ts";
import { getNonce, pagePolicy } from "./page.ts";
import { readTheme } from "./theme.ts";

export function mountDocuments(app: Hono<HttpEnv>): void {
  app.get("/openapi.json", async (c) => {
    shareable(c);
    return c.body((await writtenFor(c)).openApi, 200, { "Content-Type": "application/json" });
  });
  app.get("/docs", pagePolicy({ forms: false }), async (c) => {
    const { docs } = await writtenFor(c);
    c.header("Cache-Control", "public, max-age=300");
    // The cookie has the theme.
    c.header("Vary", "Cookie");
    const theme = readTheme(c);
    return c.html(html`<!doctype html><html lang="en"${theme === null ? "" : raw(` data-theme="${theme}"`)}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Crier API</title><meta name="description" content="Reference of the Crier API, with examples and error codes.">
<style nonce="${getNonce(c)}">${raw(STYLE)}</style></head><body>${raw(docs)}<script nonce="${getNonce(c)}">${raw(SCRIPT)}</script></body></html>`);
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

/** The value of `VERSION` if the deployment does not set it. */
const NO_VERSION = "dev";

/** The documents change only with the code and the settings, so each isolate fills them in once. */
let cachedDocuments: { baseUrl: string; written: Promise<Written> } | undefined;

function writtenFor(c: HonoContext<HttpEnv>): Promise<Written> {
  const { baseUrl, version } = c.var.ctx.settings;
  if (cachedDocuments?.baseUrl !== baseUrl) {
    // Without a version this is a run of a checkout, whose code may have changed since the build.
    const assets = version === NO_VERSION ? undefined : c.env.ASSETS;
    const documents = readBuilt(assets, baseUrl, version).then((built) => built ?? writeDocuments(baseUrl, version));
    cachedDocuments = { baseUrl, written: documents };
  }
  return cachedDocuments.written;
}

/** The files that the build wrote, filled in; null if there was no build, as in tests. */
async function readBuilt(assets: Env["ASSETS"], baseUrl: string, version: string): Promise<Written | null> {
  if (assets === undefined) return null;
  const read = async (kind: keyof Written) => {
    const response = await assets.fetch(new URL(`/${WRITTEN_FILES[kind]}`, baseUrl));
    return response.ok ? fillTemplate(kind, await response.text(), baseUrl, version) : null;
  };
  const [openApi, docs] = await Promise.all([read("openApi"), read("docs")]);
  return openApi === null || docs === null ? null : { openApi, docs };
}
