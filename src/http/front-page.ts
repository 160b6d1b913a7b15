// Pages that browsers and crawlers request first: a start page, an icon, and robots.txt.
import type { Hono, Context as HonoContext } from "hono";
import { html } from "hono/html";
import { networkName } from "../domain/network-name.ts";
import { FAVICON } from "../identity/bell.ts";
import { NETWORK_COLORS, SAMPLE_ACCOUNTS } from "../identity/networks.ts";
import { renderBrand, renderMark } from "./brand.ts";
import { takesAnybody } from "./browser-user.ts";
import { FRONT_STYLE } from "./front-page-style.ts";
import type { HttpEnv } from "./mount.ts";
import { type Html, pagePolicy, renderDocument } from "./page.ts";
import { SIGN_IN_PATH, SIGN_UP_PATH } from "./return-to.ts";

export function mountFrontPage(app: Hono<HttpEnv>): void {
  app.get("/", pagePolicy({ forms: true }), async (c) =>
    c.html(renderDocument(c, "Crier", FRONT_STYLE, await renderFront(c))),
  );
  app.get("/favicon.ico", (c) => {
    c.header("Cache-Control", "public, max-age=86400");
    return c.body(FAVICON, 200, { "Content-Type": "image/svg+xml" });
  });
  app.get("/robots.txt", (c) => c.text("User-agent: *\nDisallow: /v1/\nDisallow: /oauth/\nDisallow: /unsubscribe/\n"));
}

const PLATFORMS = Object.keys(NETWORK_COLORS);

async function renderFront(c: HonoContext<HttpEnv>): Promise<Html> {
  const { provider, sandboxUrl, demo } = c.var.ctx.settings;
  const isOpen = await takesAnybody(c);
  const signIn = html`<a class="button" href="${SIGN_IN_PATH}">Sign in</a>`;
  const demoForm =
    demo === null
      ? ""
      : html`<form method="post" action="${SIGN_IN_PATH}"><input type="hidden" name="email" value="${demo.email}">
          <input type="hidden" name="password" value="${demo.password}"><button class="quiet">Sign in as the demo</button></form>`;
  const simulated =
    provider === "sandbox" && sandboxUrl !== null
      ? html`<span>This deployment simulates the networks: <a href="${sandboxUrl}">see what was published</a></span>`
      : "";
  return html`<header>${renderBrand("Crier")}${isOpen ? signIn : ""}</header>
    <main id="main" tabindex="-1"><div class="hero"><div>
      <h1>Say it once. Be heard in every square.</h1>
      <p class="lead">Crier publishes your post to ten social networks: on time, exactly as you wrote it, and never twice.</p>
      <div class="doors">${isOpen ? html`<a class="button first" href="${SIGN_UP_PATH}">Start free</a>` : signIn}${demoForm}</div>
      <ul class="networks" aria-label="Networks">${PLATFORMS.map(
        (platform) => html`<li>${renderMark(platform)}<span class="name">${networkName(platform)}</span></li>`,
      )}</ul></div>${picture}</div>
      <div class="promises">${PROMISES.map(([title, text]) => html`<div><h2>${title}</h2><p>${text}</p></div>`)}</div></main>
    <footer><a href="/docs">API reference</a><a href="/openapi.json">OpenAPI</a><a href="/llms.txt">llms.txt for agents</a>${simulated}</footer>`;
}

const PROMISES: [title: string, text: string][] = [
  ["On time", "A post goes out at its minute in your time zone, even if a network is slow or asks to wait."],
  [
    "As written",
    "See what each network will show before it does. Nothing is cut, converted or added behind your back.",
  ],
  [
    "Never twice",
    "If an answer gets lost, Crier looks before it sends again. Then it checks that the post is really there.",
  ],
  ["Together", "Write drafts, ask for approval, and let a client decide with a link, without an account."],
];

const renderState = (verifiedAt: string | null): Html =>
  verifiedAt === null
    ? html`<span class="stamp planned">Tomorrow, 18:00</span>`
    : html`<span class="stamp">Verified ${verifiedAt}</span>`;

/** What the product looks like, drawn with the parts of the product. */
const picture = html`<div class="picture" role="img" aria-label="A post, written once, and its state on each network: verified where it is live, and scheduled where it is still to come.">
  <div class="who"><span class="tab on">All</span>${SAMPLE_ACCOUNTS.map(({ platform }) => renderMark(platform))}</div>
  <p class="words">The winter blend is back: cocoa, orange peel and a long, warm finish. Roasted on Monday, in your cup by Thursday.</p>
  <div class="bar"><span>Ready for 4 channels</span><span class="go">Schedule for 09:30</span></div>
  <ul>${SAMPLE_ACCOUNTS.map(
    ({ platform, handle, verifiedAt }) =>
      html`<li>${renderMark(platform)}<span>${networkName(platform)} <small>${handle}</small></span>${renderState(verifiedAt)}</li>`,
  )}</ul></div>`;
