// The HTTP surface: the contract's operations, their documents and pages, each answer with its request id.
import { type Context, Hono } from "hono";
import { answerHeaders } from "../adapters/answer-headers.ts";
import { compose } from "../compose.ts";
import { makeId } from "../domain/ids.ts";
import { findRefusal, refuse } from "../domain/refusal.ts";
import { mountConnect } from "./connect.ts";
import { mountDashboard } from "./dashboard.ts";
import { mountDocuments } from "./documents.ts";
import { mountFactorPage } from "./factor-page.ts";
import { serveFiles } from "./files.ts";
import { mountFrontPage } from "./front-page.ts";
import { redirectToHomeHost } from "./home-host.ts";
import { mountIdp } from "./idp.ts";
import { mountInvitation } from "./invitation.ts";
import { mountKeys } from "./jwks.ts";
import { type HttpEnv, mount } from "./mount.ts";
import { mountAuthorize } from "./oauth/authorize.ts";
import { mountOAuthEndpoints } from "./oauth/endpoints.ts";
import { mountOAuthMetadata } from "./oauth/metadata.ts";
import { nothingHere } from "./page.ts";
import { mountPasswordPages } from "./password-pages.ts";
import { mountPortal } from "./portal.ts";
import { refusalPage } from "./refusal-page.ts";
import { renderRefusal } from "./render-refusal.ts";
import { mountReport } from "./report.ts";
import { mountReview } from "./review.ts";
import { mountSignIn } from "./sign-in-page.ts";
import { mountUnsubscribe } from "./unsubscribe.ts";
import { mountVerify } from "./verify.ts";

export const app = new Hono<HttpEnv>();

app.use(async (c, next) => {
  const address = c.req.header("cf-connecting-ip") ?? null;
  const userAgent = c.req.header("user-agent") ?? null;
  const ctx = compose(c.env, (work) => c.executionCtx.waitUntil(work), { address, userAgent });
  const requestId = makeId("req", ctx.now(), ctx.entropy);
  c.set("ctx", ctx);
  c.set("requestId", requestId);
  const headers = answerHeaders(ctx.settings.baseUrl, requestId, ctx.now());
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  await next();
  const room = ctx.limits.room();
  if (room === null) return;
  c.header("RateLimit-Limit", String(room.limit));
  c.header("RateLimit-Remaining", String(room.remaining));
  c.header("RateLimit-Reset", String(room.resetS));
});

app.use(serveFiles);
app.use(redirectToHomeHost);
mountDashboard(app);
mountFrontPage(app);
mountDocuments(app);
mountSignIn(app);
mountFactorPage(app);
mountPasswordPages(app);
mountVerify(app);
mountUnsubscribe(app);
mountIdp(app);
mountConnect(app);
mountOAuthMetadata(app);
mountKeys(app);
mountOAuthEndpoints(app);
mountAuthorize(app);
mountInvitation(app);
mountReview(app);
mountPortal(app);
mountReport(app);
mount(app);

// Browsers that ask for a page get an HTML answer. Programs, and calls to an operation, get JSON.
const acceptsPage = (c: Context) => c.req.header("accept")?.includes("text/html") === true;
const asksForPage = (c: Context) => acceptsPage(c) && !c.req.path.startsWith("/v1/");
/** Networks and sign-in providers redirect browsers to these paths. */
const leadsBack = (c: Context) => acceptsPage(c) && /^\/v1\/(?:oauth|channels\/callback)\//.test(c.req.path);
app.get("*", (c, next) => (asksForPage(c) ? nothingHere(c) : next()));
app.notFound((c) => renderRefusal(c, refuse("not_found"), c.var.requestId));
app.onError((error, c) => {
  const refusal = findRefusal(error);
  const answersPage = refusal !== null && (asksForPage(c) || leadsBack(c));
  return answersPage ? refusalPage(c, refusal) : renderRefusal(c, error, c.var.requestId ?? "");
});
