// The public keys of receipts, as a JWK set (RFC 7517), and this deployment as an OAuth client, with its own keys.
import type { Hono } from "hono";
import { CLIENT_DOCUMENT } from "../domain/oauth.ts";
import { refuse } from "../domain/refusal.ts";
import { describeClient } from "../operations/channels/client-document.ts";
import type { HttpEnv } from "./mount.ts";
import { openToBrowsers } from "./oauth/cors.ts";

export function mountKeys(app: Hono<HttpEnv>): void {
  openToBrowsers(app, "/.well-known/jwks.json", "GET", async (c) => {
    const { ctx } = c.var;
    const keys = (await ctx.receipts?.listKeys(ctx.now())) ?? [];
    return c.json({ keys }, 200, { "Cache-Control": "public, max-age=300" });
  });
  openToBrowsers(app, CLIENT_DOCUMENT, "GET", async (c) => {
    const description = await describeClient(c.var.ctx);
    if (description === null) throw refuse("not_found");
    return c.json(description, 200, { "Cache-Control": "public, max-age=300" });
  });
}
