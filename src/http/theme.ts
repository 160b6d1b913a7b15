// The theme that a person chose in the dashboard. It is in a cookie, so that every page appears in it at once.
import type { Context as HonoContext } from "hono";
import { getCookie } from "hono/cookie";

/** The theme of this browser; null: the system's. */
export function readTheme(c: HonoContext): "light" | "dark" | null {
  const theme = getCookie(c, "theme");
  return theme === "light" || theme === "dark" ? theme : null;
}
