// The unsubscribe address of a mail (RFC 8058): a page for people, and one POST for mail programs. Neither needs a sign-in,
// and cookies and the origin of the POST are ignored: the token alone authorizes the call.
import type { Hono, Context as HonoContext } from "hono";
import { html } from "hono/html";
import { NOTIFICATION_WORDS } from "../domain/notification.ts";
import { describeSubscription, type Subscription, unsubscribe } from "../operations/accounts/unsubscribe.ts";
import type { HttpEnv } from "./mount.ts";
import { page, pagePolicy } from "./page.ts";

export function mountUnsubscribe(app: Hono<HttpEnv>): void {
  const policy = pagePolicy({ forms: true });
  app.get("/unsubscribe/:token", policy, async (c) => {
    const subscription = await describeSubscription(c.var.ctx, c.req.param("token"));
    return subscription === null
      ? unknown(c)
      : page(
          c,
          "Turn off these emails",
          html`<p>You receive ${renderMails(subscription)}.</p><form method="post"><button>Turn off</button></form>`,
        );
  });
  app.post("/unsubscribe/:token", policy, async (c) => {
    const subscription = await unsubscribe(c.var.ctx, c.req.param("token"));
    return subscription === null
      ? unknown(c)
      : page(
          c,
          "Turned off",
          html`<p>You will no longer receive ${renderMails(subscription)}. You can turn them on again in <a href="/settings/notifications">your settings</a>.</p>`,
        );
  });
}

const renderMails = ({ kind, workspace }: Subscription) =>
  html`emails about ${NOTIFICATION_WORDS[kind]}${workspace === null ? "" : html` in the workspace <strong>${workspace}</strong>`}`;

const unknown = (c: HonoContext<HttpEnv>) =>
  page(
    c,
    "This link does not work",
    html`<p>It is incomplete or too old. <a href="/settings/notifications">Sign in to choose which emails you receive</a>.</p>`,
    410,
  );
