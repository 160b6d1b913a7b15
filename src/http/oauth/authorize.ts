// The authorization endpoint: the user signs in, chooses a workspace, and allows or refuses a client app.
import type { Hono, Context as HonoContext } from "hono";
import { html } from "hono/html";
import { me } from "../../operations/accounts/me.ts";
import { withOwners } from "../../operations/members/with-owners.ts";
import { type Authorization, letIn, readAuthorization, refuseClient } from "../../operations/oauth/authorization.ts";
import { limitTries } from "../../operations/rate-limit.ts";
import { timezoneScript } from "../browser-timezone.ts";
import { makeConsentToken, NOTHING, providersFor, readBrowserUser, signIn, signOut } from "../browser-user.ts";
import { readFields } from "../form.ts";
import type { HttpEnv } from "../mount.ts";
import { type PageStatus, page, pagePolicy } from "../page.ts";
import { AUTHORIZE_PATH } from "../return-to.ts";
import { isSameOrigin } from "../session-cookie.ts";
import { unsentTextsScript } from "../unsent-texts.ts";
import { consentBody, refusedBody, signInBody } from "./pages.ts";

type C = HonoContext<HttpEnv>;

export function mountAuthorize(app: Hono<HttpEnv>): void {
  // The form's answer redirects to the application's address, and from there to any other.
  const policy = pagePolicy({ forms: true, popup: true });

  app.get(AUTHORIZE_PATH, policy, async (c) => {
    await limitTries(c.var.ctx, { address: "authorize_address" });
    return withAuthorization(c, (authorization) => ask(c, authorization));
  });

  // Every step is a form at this same address, so each step checks the request again.
  app.post(AUTHORIZE_PATH, policy, async (c) => {
    const { ctx } = c.var;
    await limitTries(ctx, { address: "authorize_address" });
    if (!isSameOrigin(c.req.raw, ctx.settings.baseUrl)) return notOurs(c);
    const text = await readFields(c.req.raw);
    return withAuthorization(c, async (authorization) => {
      const step = text("step");
      if (step === "sign-in") {
        const email = text("email");
        const returnTo = AUTHORIZE_PATH + getSearch(c);
        const outcome = await signIn(c, "accounts.sign-in", { email, password: text("password") }, returnTo);
        if (outcome instanceof Response) return outcome;
        return askToSignIn(c, authorization, { email, alert: outcome.alert }, outcome.status);
      }
      const user = await readBrowserUser(c);
      if (user === null) return ask(c, authorization);
      if (text("consent") !== (await makeConsentToken(c, user))) return notOurs(c);
      if (step === "switch") {
        await signOut(c, user);
        return again(c);
      }
      if (step === "refuse") return c.redirect(refuseClient(ctx, authorization), 303);
      if (step !== "allow") return ask(c, authorization);
      const to = await letIn(ctx, authorization, user.caller.userId, text("workspace"));
      return to === null ? ask(c, authorization, "Choose one of your workspaces.") : c.redirect(to, 303);
    });
  });
}

async function withAuthorization(c: C, then: (authorization: Authorization) => Promise<Response>): Promise<Response> {
  c.header("Cache-Control", "no-store");
  const authorizationRequest = await readAuthorization(c.var.ctx, getSearch(c));
  if (authorizationRequest.is === "authorization") return then(authorizationRequest.authorization);
  if (authorizationRequest.is === "refused")
    return page(c, "This request is not valid", refusedBody(authorizationRequest), 400);
  return problem(c, "This application cannot be connected", authorizationRequest.message, 400);
}

const getSearch = (c: C) => new URL(c.req.url).search;

function problem(c: C, title: string, message: string, status: PageStatus) {
  return page(c, title, html`<p>${message}</p>`, status);
}

const notOurs = (c: C) =>
  problem(
    c,
    "This request did not come from this page",
    "No access was granted. Go back to the application and start again.",
    403,
  );

async function ask(c: C, authorization: Authorization, alert: string | null = null): Promise<Response> {
  const user = await readBrowserUser(c);
  if (user === null) return askToSignIn(c, authorization, { email: "", alert: null });
  const { ctx } = c.var;
  const { body } = await me(ctx, user.caller, NOTHING);
  if (body === undefined) return askToSignIn(c, authorization, { email: "", alert: null });
  const consent = await makeConsentToken(c, user);
  const workspaces = await withOwners(ctx, body.workspaces);
  const consentForm = consentBody({ authorization, email: body.user.email, workspaces, consent, alert });
  return page(c, "Connect an application", html`${consentForm}${unsentTextsScript(c)}`, alert === null ? 200 : 422);
}

async function askToSignIn(
  c: C,
  authorization: Authorization,
  { email, alert }: { email: string; alert: string | null },
  status: PageStatus = 200,
): Promise<Response> {
  const address = AUTHORIZE_PATH + getSearch(c);
  const providers = await providersFor(c, address);
  const body = signInBody({ authorization, providers, email, address, alert });
  return page(c, "Sign in to Crier", html`${body}${timezoneScript(c)}`, status);
}

/** Redirects to this page, which checks again who is signed in. */
const again = (c: C) => c.redirect(AUTHORIZE_PATH + getSearch(c), 303);
