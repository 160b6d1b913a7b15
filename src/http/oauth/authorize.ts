// The authorization endpoint: the user signs in, chooses a workspace, and allows or refuses a client app.
import type { Hono, Context as HonoContext } from "hono";
import { html } from "hono/html";
import { sha256Hex } from "../../adapters/digest.ts";
import type { Caller } from "../../context.ts";
import { OAuthRefusal } from "../../domain/oauth.ts";
import { me } from "../../operations/accounts/me.ts";
import { methods } from "../../operations/accounts/methods.ts";
import { handlers } from "../../operations/index.ts";
import { type Authorization, letIn, readAuthorization, refuseClient } from "../../operations/oauth/authorization.ts";
import type { Form } from "../../operations/oauth/tokens.ts";
import { limitTries } from "../../operations/rate-limit.ts";
import { NOTHING, readSignedInUser, signInByForm } from "../browser-session.ts";
import type { HttpEnv } from "../mount.ts";
import { type PageStatus, page, pagePolicy } from "../page.ts";
import { AUTHORIZE_PATH } from "../return-to.ts";
import { clearSessionCookie, isSameOrigin } from "../session-cookie.ts";
import { readForm } from "./form.ts";
import { consentBody, signInBody } from "./pages.ts";

type C = HonoContext<HttpEnv>;

export function mountAuthorize(app: Hono<HttpEnv>): void {
  // The form's answer leads to the application's address, and from there wherever that leads.
  const policy = pagePolicy({ forms: true, popup: true });

  app.get(AUTHORIZE_PATH, policy, async (c) => {
    await limitTries(c.var.ctx, { address: "authorize_address" });
    return withAuthorization(c, (authorization) => ask(c, authorization));
  });

  // Every step is a form of this same address, so that the request is judged anew by each.
  app.post(AUTHORIZE_PATH, policy, async (c) => {
    const { ctx } = c.var;
    await limitTries(ctx, { address: "authorize_address" });
    if (!isSameOrigin(c.req.raw, ctx.settings.baseUrl)) return notOurs(c);
    const form = await readForm(c.req.raw).catch(nothingReadable);
    const text = (name: string) => form.get(name) ?? "";
    return withAuthorization(c, async (authorization) => {
      const step = text("step");
      if (step === "sign-in") return signIn(c, authorization, { email: text("email"), password: text("password") });
      const user = await readSignedInUser(c);
      if (user === null) return ask(c, authorization);
      if (text("consent") !== (await consentOf(c, user.token))) return notOurs(c);
      if (step === "switch") return signOut(c, user.caller);
      if (step === "refuse") return c.redirect(refuseClient(ctx, authorization), 303);
      if (step !== "allow") return ask(c, authorization);
      const to = await letIn(ctx, authorization, user.caller.userId, text("workspace"));
      return to === null ? ask(c, authorization, "Choose one of your workspaces.") : c.redirect(to, 303);
    });
  });
}

/** A body that is none of our forms says nothing. */
function nothingReadable(error: unknown): Form {
  if (error instanceof OAuthRefusal) return new Map();
  throw error;
}

async function withAuthorization(c: C, then: (authorization: Authorization) => Promise<Response>): Promise<Response> {
  c.header("Cache-Control", "no-store");
  const asked = await readAuthorization(c.var.ctx, searchOf(c));
  if (asked.is === "authorization") return then(asked.authorization);
  if (asked.is === "refused") return c.redirect(asked.to, 303);
  return problem(c, "This application cannot be connected", asked.message, 400);
}

const searchOf = (c: C) => new URL(c.req.url).search;

function problem(c: C, title: string, message: string, status: PageStatus) {
  return page(c, title, html`<p>${message}</p>`, status);
}

const notOurs = (c: C) =>
  problem(
    c,
    "That did not come from this page",
    "Nothing was allowed. Go back to the application and begin again.",
    403,
  );

/** What only our own page in this very session can send along, for this very request. */
const consentOf = (c: C, token: string) => sha256Hex(`consent|${token}|${searchOf(c)}`);

async function ask(c: C, authorization: Authorization, alert: string | null = null): Promise<Response> {
  const user = await readSignedInUser(c);
  if (user === null) return askToSignIn(c, authorization, { email: "", alert: null });
  const { body } = await me(c.var.ctx, user.caller, NOTHING);
  if (body === undefined) return askToSignIn(c, authorization, { email: "", alert: null });
  const consent = await consentOf(c, user.token);
  const shown = consentBody({ authorization, email: body.user.email, workspaces: body.workspaces, consent, alert });
  return page(c, "Connect an application", shown, alert === null ? 200 : 422);
}

async function askToSignIn(
  c: C,
  authorization: Authorization,
  { email, alert }: { email: string; alert: string | null },
  status: PageStatus = 200,
): Promise<Response> {
  const { body } = await methods(c.var.ctx, { kind: "nobody" }, NOTHING);
  const returnTo = encodeURIComponent(AUTHORIZE_PATH + searchOf(c));
  const providers = (body?.providers ?? []).map(({ name, start_url }) => ({
    name,
    url: `${start_url}?continue=${returnTo}`,
  }));
  return page(c, "Sign in to Crier", signInBody({ authorization, providers, email, alert }), status);
}

async function signIn(c: C, authorization: Authorization, body: { email: string; password: string }) {
  const wrong = await signInByForm(c, body);
  return wrong === null
    ? again(c)
    : askToSignIn(c, authorization, { email: body.email, alert: wrong.alert }, wrong.status);
}

async function signOut(c: C, caller: Caller): Promise<Response> {
  const { ctx } = c.var;
  await handlers["accounts.sign-out"].invoke(ctx, caller, NOTHING);
  clearSessionCookie(c, ctx.settings.baseUrl);
  return again(c);
}

/** Asks the same once more, as whoever is there now. */
const again = (c: C) => c.redirect(AUTHORIZE_PATH + searchOf(c), 303);
