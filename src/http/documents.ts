// What describes the service, for anybody: the OpenAPI document, its readable page, and a text for agents.
import type { Hono } from "hono";
import type { HttpEnv } from "./mount.ts";
import { openApi } from "./openapi/document.ts";

export function mountDocuments(app: Hono<HttpEnv>): void {
  app.get("/openapi.json", (c) => {
    const { baseUrl, version } = c.var.ctx.settings;
    c.header("Access-Control-Allow-Origin", "*");
    return c.json(openApi(baseUrl, version));
  });
}
