// What a browser and a crawler ask for first: a page that leads on, an icon, and what is not to be crawled.
import type { Hono } from "hono";
import { html } from "hono/html";
import type { HttpEnv } from "./mount.ts";
import { page, pagePolicy } from "./page.ts";

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b57d0"/><path d="M3 6.5v3h2l5 3v-9l-5 3zM12 6a3 3 0 0 1 0 4" fill="#fff" stroke="#fff" stroke-linejoin="round"/></svg>`;

export function mountFrontPage(app: Hono<HttpEnv>): void {
  app.get("/", pagePolicy({ forms: false }), (c) => {
    const { provider, sandboxUrl } = c.var.ctx.settings;
    const simulated =
      provider === "sandbox" && sandboxUrl !== null
        ? html`<p>The networks are simulated here: <a href="${sandboxUrl}">what was published</a>.</p>`
        : "";
    return page(
      c,
      "Crier",
      html`<p>One post, many social networks. This address is the API's.</p>${simulated}
      <p><a href="/docs">Every call, with examples</a></p>
      <p><a href="/openapi.json">OpenAPI document</a>, for tools</p>
      <p><a href="/llms.txt">llms.txt</a>, for agents</p>`,
    );
  });
  app.get("/favicon.ico", (c) => {
    c.header("Cache-Control", "public, max-age=86400");
    return c.body(ICON, 200, { "Content-Type": "image/svg+xml" });
  });
  app.get("/robots.txt", (c) => c.text("User-agent: *\nDisallow: /v1/\nDisallow: /oauth/\nDisallow: /unsubscribe/\n"));
}
