// The frame of a small page: one column, light or dark, no external resources.
import type { Context as HonoContext } from "hono";
import { html, raw } from "hono/html";
import { secureHeaders } from "hono/secure-headers";
import type { HttpEnv } from "./mount.ts";

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

export function page(c: HonoContext, title: string, body: Html, status: PageStatus = 200) {
  c.header("Cache-Control", "no-store");
  return c.html(
    html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <title>${title === "Crier" ? title : `${title} · Crier`}</title><link rel="icon" href="/favicon.ico"><style nonce="${getNonce(c)}">${raw(STYLE)}</style></head>
    <body><a class="skip" href="#main">Skip to content</a><header><a href="/">Crier</a></header><main id="main" tabindex="-1"><h1>${title}</h1>${body}</main>
    <footer><a href="/docs">API</a></footer></body></html>`,
    status,
  );
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

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; display: grid; grid-template-rows: auto 1fr auto; place-items: center; min-height: 100vh; font: 16px/1.5 system-ui, sans-serif; color: light-dark(#171b21, #e9edf2); background: light-dark(#f3f5f8, #0d1014); }
header, footer { padding: 1.25rem; }
.skip { position: absolute; z-index: 1; top: -4rem; left: 1rem; min-height: 44px; box-sizing: border-box; padding: .6rem 1rem; border-radius: 8px; background: light-dark(#fff, #171b21); }
.skip:focus { top: 1rem; }
header a, footer a, .ways a { display: inline-flex; align-items: center; min-height: 44px; }
header a { font-weight: 700; font-size: 1.25rem; letter-spacing: -.01em; text-decoration: none; }
footer { font-size: .9rem; }
main { box-sizing: border-box; width: min(96vw, 30rem); padding: clamp(1.2rem, 6vw, 2rem); border-radius: 12px; background: light-dark(#fff, #171b21); border: 1px solid light-dark(#d9dee5, #2d343e); }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.25; letter-spacing: -.01em; }
:focus-visible { outline: 3px solid light-dark(#0b57d0, #8ab4f8); outline-offset: 2px; }
form { display: grid; gap: 1rem; }
[hidden] { display: none; }
label { display: grid; gap: .3rem; }
label.choice { grid-template-columns: auto 1fr; gap: .7rem; align-items: center; padding: .6rem .8rem; border: 1px solid light-dark(#d9dee5, #2d343e); border-radius: 8px; }
label.choice small { display: block; color: light-dark(#4a5361, #b3bcc8); }
input, button { font: inherit; padding: .55rem .7rem; border-radius: 8px; border: 1px solid light-dark(#767f8c, #8b95a3); min-height: 44px; box-sizing: border-box; }
textarea { font: inherit; padding: .55rem .7rem; border-radius: 8px; border: 1px solid light-dark(#767f8c, #8b95a3); resize: vertical; }
input, textarea { background: light-dark(#fff, #0d1014); color: inherit; }
input[type=radio], input[type=checkbox] { min-height: auto; }
button { background: #0b57d0; color: #fff; border: 0; cursor: pointer; }
button.quiet { background: none; color: inherit; border: 1px solid light-dark(#b8c0cc, #444d5a); }
button.link { min-height: 24px; background: none; color: light-dark(#0b57d0, #8ab4f8); padding: 0; text-decoration: underline; justify-self: start; }
a { color: light-dark(#0b57d0, #8ab4f8); }
a.button { display: block; box-sizing: border-box; min-height: 44px; text-align: center; text-decoration: none; padding: .55rem .7rem; border-radius: 8px; border: 1px solid light-dark(#767f8c, #8b95a3); }
a.button.first { background: #0b57d0; color: #fff; border-color: #0b57d0; }
.ways { display: flex; flex-wrap: wrap; gap: .4rem 1.5rem; margin: 1.2rem 0 0; }
fieldset { display: grid; gap: .5rem; margin: 0; padding: 0; border: 0; }
legend { padding: 0 0 .4rem; font-weight: 600; }
dl { display: grid; gap: .7rem; margin: 0 0 1.2rem; padding: .9rem 1rem; border-radius: 8px; background: light-dark(#f3f5f8, #0d1014); }
dt { font-size: .85rem; color: light-dark(#4a5361, #b3bcc8); }
dd { margin: 0; overflow-wrap: anywhere; }
p { overflow-wrap: anywhere; }
.side { display: grid; grid-template-columns: 1fr 1fr; gap: .7rem; }
form + form, .note + form { margin-top: 1.2rem; }
section { margin: 0 0 1.2rem; padding-top: 1rem; border-top: 1px solid light-dark(#d9dee5, #2d343e); }
h2 { margin: 0 0 .6rem; font-size: 1.05rem; overflow-wrap: anywhere; }
.text { white-space: pre-wrap; }
figure { margin: 0 0 1rem; }
figure img, figure video { display: block; max-width: 100%; border-radius: 8px; }
.note { margin: 0; font-size: .9rem; color: light-dark(#4a5361, #b3bcc8); }
.alert { padding: .6rem .8rem; border-radius: 8px; background: light-dark(#fdecea, #3b1a17); }`;
