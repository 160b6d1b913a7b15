// What a browser keeps of a sign-in: its session, and that it is its owner's once that is over.
import type { Context as HonoContext } from "hono";
import * as z from "zod";
import type { Context } from "../context.ts";
import { makeDevice } from "../operations/accounts/device.ts";
import { giveDeviceCookie, giveSessionCookie } from "./session-cookie.ts";

const SignedIn = z.object({ token: z.string(), expires_at: z.string(), user: z.object({ email: z.string() }) });

/** The session in the body of an operation that begins one. */
export function sessionIn(body: unknown): { token: string; expiresAt: number; email: string } {
  const { token, expires_at, user } = SignedIn.parse(body);
  return { token, expiresAt: Date.parse(expires_at), email: user.email };
}

/** `email`: of the account, as it is stored. */
export async function giveCookies(
  c: HonoContext,
  ctx: Context,
  { token, expiresAt, email }: { token: string; expiresAt: number; email: string },
): Promise<void> {
  const { baseUrl } = ctx.settings;
  giveSessionCookie(c, baseUrl, token, expiresAt);
  const device = await makeDevice(ctx, email);
  if (device !== null) giveDeviceCookie(c, baseUrl, device);
}
