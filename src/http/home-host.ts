// Cookies, forms, uploads and images belong to one host: that of BASE_URL.
import type { MiddlewareHandler } from "hono";
import type { HttpEnv } from "./mount.ts";

/** Redirects a browser that asks for a page at another host, such as `localhost`. Programs may call any host. */
export const redirectToHomeHost: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const home = new URL(c.var.ctx.settings.baseUrl);
  const { host, pathname, search } = new URL(c.req.url);
  const asksForPage = c.req.method === "GET" && c.req.header("accept")?.includes("text/html") === true;
  return asksForPage && host !== home.host ? c.redirect(new URL(pathname + search, home).href) : next();
};
