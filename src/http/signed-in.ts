// The cookies that a browser stores after a sign-in: its session, and a marker that the browser belongs to this user after the session
// ends.
import type { Context as HonoContext } from "hono";
import * as z from "zod";
import type { Context } from "../context.ts";
import { makeDevice } from "../operations/accounts/device.ts";
import { giveDeviceCookie, giveSessionCookie } from "./session-cookie.ts";

const SignedIn = z.object({ token: z.string(), expires_at: z.string() });

/** The session in the body of an operation that starts one. */
export function sessionIn(body: unknown): { token: string; expiresAt: number } {
  const { token, expires_at } = SignedIn.parse(body);
  return { token, expiresAt: Date.parse(expires_at) };
}

export async function giveCookies(
  c: HonoContext,
  ctx: Context,
  { token, expiresAt }: { token: string; expiresAt: number },
): Promise<void> {
  const { baseUrl } = ctx.settings;
  giveSessionCookie(c, baseUrl, token, expiresAt);
  const device = await makeDevice(ctx, token);
  if (device !== null) giveDeviceCookie(c, baseUrl, device);
}
