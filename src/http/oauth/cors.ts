// Endpoints that browser clients may call from any origin. They accept no cookie, so no page can act for a visitor.
import type { Handler, Hono } from "hono";
import { refuse } from "../../domain/refusal.ts";
import type { HttpEnv } from "../mount.ts";

/** Mounts `handler` at an address for one method and its preflight request. Other methods are refused. */
export function openToBrowsers(
  app: Hono<HttpEnv>,
  path: string,
  method: "GET" | "POST",
  handler: Handler<HttpEnv>,
): void {
  app.use(path, async (c, next) => {
    c.header("Access-Control-Allow-Origin", "*");
    await next();
  });
  app.on(method, path, handler);
  app.options(path, (c) => {
    c.header("Access-Control-Allow-Methods", method);
    c.header("Access-Control-Allow-Headers", "Authorization, Content-Type, MCP-Protocol-Version");
    c.header("Access-Control-Max-Age", "86400");
    return c.body(null, 204);
  });
  app.all(path, () => {
    throw refuse("method_not_allowed", { headers: { Allow: `${method}, OPTIONS` } });
  });
}
