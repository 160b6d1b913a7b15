// What a browser keeps of a sign-in: its session, and that it is its owner's once that is over.
import type { Context as HonoContext } from "hono";
import * as z from "zod";
import type { Context } from "../context.ts";
import { makeDevice } from "../operations/accounts/device.ts";
import { giveDeviceCookie, giveSessionCookie } from "./session-cookie.ts";

const SignedIn = z.object({ token: z.string(), expires_at: z.string(), user: z.object({ email: z.string() }) });

/** `body`: of an operation that begins a session. */
export async function giveCookies(c: HonoContext, ctx: Context, body: unknown): Promise<void> {
  const { baseUrl } = ctx.settings;
  const { token, expires_at, user } = SignedIn.parse(body);
  giveSessionCookie(c, baseUrl, token, expires_at);
  const device = await makeDevice(ctx, user.email);
  if (device !== null) giveDeviceCookie(c, baseUrl, device);
}
