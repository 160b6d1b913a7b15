// The frame of a small page: one column, light or dark, no resources of another origin.
import type { Context as HonoContext } from "hono";
import { html, raw } from "hono/html";
import { secureHeaders } from "hono/secure-headers";
import { PRELOAD } from "../identity/files.ts";
import { renderBrand } from "./brand.ts";
import { renderAccent, renderClientBrand, type ShownBrand } from "./client-brand.ts";
import type { HttpEnv } from "./mount.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { readTheme } from "./theme.ts";

/**
 * Styles and scripts run only with the answer's own nonce. `forms`: whether the page may submit forms to any address.
 * `popup`: another site may have opened the page in a window and be waiting for it, and its forms send their origin.
 * `media`: whether it shows files of posts.
 */
export const pagePolicy = ({
  forms,
  popup = false,
  media = false,
}: {
  forms: boolean;
  popup?: boolean;
  media?: boolean;
}) =>
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      styleSrc: [(c) => `'nonce-${getNonce(c)}'`],
      scriptSrc: [(c) => `'nonce-${getNonce(c)}'`],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      imgSrc: ["'self'", ...(media ? [getMediaOrigin] : [])],
      ...(media ? { mediaSrc: ["'self'", getMediaOrigin] } : {}),
      ...(forms ? {} : { formAction: ["'none'"] }),
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
    // Every answer already sends this header where it applies, with a longer lifetime.
    strictTransportSecurity: false,
    // The address of such a page can contain a token, so no other site may receive it.
    referrerPolicy: popup ? "same-origin" : "no-referrer",
    crossOriginOpenerPolicy: popup ? "unsafe-none" : "same-origin",
  });

/** One nonce per answer. The request id is random enough and already exists. */
export function getNonce(c: HonoContext): string {
  return String(c.get("requestId"));
}

/** The host that serves the uploaded files of posts. */
function getMediaOrigin(c: HonoContext<HttpEnv>): string {
  const { bucket } = c.var.ctx.settings;
  return bucket === null ? "'self'" : new URL(bucket.mediaUrl).origin;
}

export type PageStatus = 200 | 400 | 401 | 403 | 404 | 410 | 422 | 429 | 503;
export type Html = ReturnType<typeof html>;

/** A whole page: the head, and a body that begins with the link to its content. */
export function renderDocument(c: HonoContext, title: string, style: string, body: Html): Html {
  const theme = readTheme(c);
  c.header("Cache-Control", "no-store");
  c.header("Link", PRELOAD);
  return html`<!doctype html><html lang="en"${theme === null ? "" : raw(` data-theme="${theme}"`)}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <title>${title === "Crier" ? title : `${title} · Crier`}</title><link rel="icon" href="/favicon.ico"><style nonce="${getNonce(c)}">${raw(style)}</style></head>
    <body><a class="skip" href="#main">Skip to content</a>${body}</body></html>`;
}

/** The look of a page for clients. */
interface Look {
  /** The brand that replaces ours at the top; null: none. */
  brand?: ShownBrand | null;
  /** Further styles. They must not contain texts of callers. */
  style?: string;
}

/** A page with one task. */
export function page(
  c: HonoContext,
  title: string,
  body: Html,
  status: PageStatus = 200,
  { brand = null, style = "" }: Look = {},
) {
  const content = html`<header>${renderClientBrand(brand) ?? renderBrand("Crier")}</header><main id="main" tabindex="-1"><h1>${title}</h1>${body}</main>
    <footer>${brand === null ? html`<a href="/docs">API</a>` : html`<a href="/">Made with Crier</a>`}</footer>`;
  return c.html(renderDocument(c, title, PAGE_STYLE + renderAccent(brand) + style, content), status);
}

/** A page of another site has submitted one of our forms, so the visitor did not intend this request. */
export const notOurs = (c: HonoContext) =>
  page(
    c,
    "This request did not come from this page",
    html`<p>The form was sent from another site or from an outdated page, so Crier did nothing. Open the page again and repeat the step there.</p>`,
    403,
  );

/** The answer to a browser at an unknown address. */
export async function nothingHere(c: HonoContext) {
  await pagePolicy({ forms: false })(c, async () => {});
  return page(
    c,
    "Page not found",
    html`<p>There is no page at this address. The address may be mistyped, or the page was removed.</p><p><a href="/">Go to the start page</a></p>`,
    404,
  );
}
