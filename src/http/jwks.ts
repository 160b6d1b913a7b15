// The public keys of receipts, as a JWK set (RFC 7517).
import type { Hono } from "hono";
import type { HttpEnv } from "./mount.ts";
import { openToBrowsers } from "./oauth/cors.ts";

export function mountKeys(app: Hono<HttpEnv>): void {
  openToBrowsers(app, "/.well-known/jwks.json", "GET", async (c) => {
    const { ctx } = c.var;
    const keys = (await ctx.receipts?.listKeys(ctx.now())) ?? [];
    return c.json({ keys }, 200, { "Cache-Control": "public, max-age=300" });
  });
}
