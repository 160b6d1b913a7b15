// Sign-in by a person, who picks the Pages: docs/facebook-login, read 2026-11-20.
import * as z from "zod";
import type { Busy } from "../../domain/delivery/outcome.ts";
import type { App, Consent, Granted, GrantRefused, Refreshed, Wire, Work } from "../network.ts";
import { type Answer, unavailable } from "../shared/http-call.ts";
import { deadToken, failure } from "./errors.ts";
import { get, successOf, VERSION, WEBSITE } from "./graph.ts";
import { accountOf, coverageOf, inspect, mayPublish, ownPage, SCOPES } from "./pages.ts";
import type { Credential } from "./rule.ts";

const refused = (message: string, hint: string): GrantRefused => ({ is: "grant_refused", message, hint });

function failed(answer: Answer, now: number): GrantRefused | Busy {
  const means = failure(answer, now);
  // 400 with code 1 is how a wrong secret is refused (from memory), and a code is not worth a second try.
  const passing = means.is === "busy" && (means.error === "network_quota" || statusOf(answer) !== 400);
  if (passing) return means;
  return refused(`Facebook refuses the sign-in: ${means.detail}`, "Begin again; a code works once, for ten minutes.");
}

const statusOf = (answer: Answer) => (answer.is === "answer" ? answer.status : null);

const AccessToken = z.object({ access_token: z.string().min(1) });

async function exchangeFor(wire: Wire, app: App, query: Record<string, string>): Promise<string | Answer> {
  const keys = { client_id: app.clientId, client_secret: app.clientSecret };
  const answer = await get(wire, null, "/oauth/access_token", { ...keys, ...query });
  return successOf(answer, AccessToken)?.access_token ?? answer;
}

export const consent: Consent<Credential> = {
  // The dialog takes no PKCE challenge from apps that have a secret.
  address(app, { redirectUri, state }) {
    const query = new URLSearchParams({
      client_id: app.clientId,
      redirect_uri: redirectUri,
      state,
      response_type: "code",
      scope: SCOPES.join(","),
    });
    return `${WEBSITE}/${VERSION}/dialog/oauth?${query}`;
  },

  async exchange({ code, redirectUri }, app, wire): Promise<Granted<Credential> | GrantRefused | Busy> {
    const short = await exchangeFor(wire, app, { redirect_uri: redirectUri, code });
    if (typeof short !== "string") return failed(short, wire.now());
    // A page token dies with the token it was read with: that of an hour becomes one of sixty days first.
    const exchange = { grant_type: "fb_exchange_token", fb_exchange_token: short };
    const user = await exchangeFor(wire, app, exchange);
    if (typeof user !== "string") return failed(user, wire.now());
    const covered = await coverageOf(wire, user);
    if (!("pages" in covered)) return failed(covered, wire.now());
    const { pages, missing } = covered;
    if (missing.length > 0)
      return refused(`The grant lacks ${missing.join(", ")}.`, "Connect again and leave all permissions ticked.");
    const usable = pages.filter(mayPublish);
    const [first] = usable;
    if (first?.access_token === undefined) {
      const names = pages.map(({ name }) => name).join(", ");
      return refused(
        pages.length === 0 ? "The grant covers no Page." : `You may not create content on ${names}.`,
        "Facebook takes posts for Pages only: tick a Page on which you may create content.",
      );
    }
    // All page tokens were read with one token and share its fate.
    const expiresAt = (await inspect(wire, app, first.access_token))?.expiresAt ?? null;
    const accounts = usable.map((page) => accountOf(page, page.access_token ?? "", user, expiresAt));
    return { is: "granted", accounts };
  },
};

const PageToken = z.object({ id: z.string(), access_token: z.string().min(1) });

/**
 * A page token that was refused: a new one is read with the person's token. Tokens are not renewed otherwise; when the
 * person's token is dead too, only they can help.
 */
export async function refresh({ credential, wire }: Work<Credential>): Promise<Refreshed<Credential>> {
  const { page_id, page_token, user_token } = credential;
  if (user_token === null) {
    const page = await ownPage(wire, page_token);
    if (!("is" in page)) return { is: "fresh", credential };
    return deadToken(page) ?? unavailable(page);
  }
  const answer = await get(wire, user_token, `/${page_id}`, { fields: "id,access_token" });
  const read = successOf(answer, PageToken);
  if (read?.id === page_id) return { is: "fresh", credential: { ...credential, page_token: read.access_token } };
  const dead = deadToken(answer);
  if (dead !== null) return dead;
  // The person lost the Page, or their role on it: the network leaves the token out, or refuses the Page.
  const lost = failure(answer, wire.now());
  return lost.is === "refused" && lost.error === "permission_missing"
    ? { is: "refused", error: "token_revoked", detail: lost.detail }
    : unavailable(answer);
}
