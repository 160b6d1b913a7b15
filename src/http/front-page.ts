// Pages that browsers and crawlers request first: a start page with links, an icon, and robots.txt.
import type { Hono } from "hono";
import { html } from "hono/html";
import { FAVICON } from "../identity/bell.ts";
import { takesAnybody } from "./browser-user.ts";
import type { HttpEnv } from "./mount.ts";
import { page, pagePolicy } from "./page.ts";
import { SIGN_IN_PATH, SIGN_UP_PATH } from "./return-to.ts";

export function mountFrontPage(app: Hono<HttpEnv>): void {
  app.get("/", pagePolicy({ forms: true }), async (c) => {
    const { provider, sandboxUrl, demo } = c.var.ctx.settings;
    const demoForm =
      demo === null
        ? ""
        : html`<form method="post" action="${SIGN_IN_PATH}"><input type="hidden" name="email" value="${demo.email}">
            <input type="hidden" name="password" value="${demo.password}"><button>Sign in as the demo</button></form>`;
    const simulated =
      provider === "sandbox" && sandboxUrl !== null
        ? html`<p>This deployment simulates the networks: <a href="${sandboxUrl}">see what was published</a>.</p>`
        : "";
    return page(
      c,
      "Crier",
      html`<p>Write a post once. Crier publishes it to ten social networks, on time, exactly as written, never twice.</p>
      ${demoForm}
      <p class="side"><a class="button${demo === null ? " first" : ""}" href="${SIGN_IN_PATH}">Sign in</a>
        ${(await takesAnybody(c)) ? html`<a class="button" href="${SIGN_UP_PATH}">Sign up</a>` : ""}</p>
      ${simulated}
      <p>For developers: the <a href="/docs">API reference with examples</a>, the <a href="/openapi.json">OpenAPI document</a>,
        and <a href="/llms.txt">llms.txt</a> for agents.</p>`,
    );
  });
  app.get("/favicon.ico", (c) => {
    c.header("Cache-Control", "public, max-age=86400");
    return c.body(FAVICON, 200, { "Content-Type": "image/svg+xml" });
  });
  app.get("/robots.txt", (c) => c.text("User-agent: *\nDisallow: /v1/\nDisallow: /oauth/\nDisallow: /unsubscribe/\n"));
}
