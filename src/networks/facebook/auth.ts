// Connects a Page: with tokens from its owner (a user's token, which covers Pages, or a Page's own), or by a user's consent:
// docs/facebook-login, read 2026-11-20. If Facebook later refuses the Page's token,
// this file gets a new token.
import * as z from "zod";
import { type Reason, type Retryable, reasonFor } from "../../domain/delivery/outcome.ts";
import type {
  App,
  Connected,
  ConnectorContext,
  Consent,
  CredentialsRefused,
  Granted,
  GrantRefused,
  NetworkIO,
  Refreshed,
} from "../network.ts";
import { type Answer, unavailable } from "../shared/http-call.ts";
import { readGraphError } from "../shared/meta/graph.ts";
import { versionFor } from "../shared/meta/versions.ts";
import { handedOver, parseExpiry, token } from "../shared/oauth2.ts";
import { scopesToAsk } from "../shared/permissions.ts";
import { get, readSuccess, WEBSITE } from "./api.ts";
import { deadToken, failure } from "./errors.ts";
import { fetchCoverage, inspect, mayPublish, ownPage, type Page, PERMISSIONS, toAccount } from "./pages.ts";
import type { Credential } from "./rule.ts";

const credentialsRefused = (field: string, message: string, hint: string): CredentialsRefused => ({
  is: "credentials_refused",
  field,
  message,
  hint,
});

const saidIn = ({ networkMessage }: Reason) => (networkMessage === undefined ? {} : { networkMessage });

/** Classifies a read that failed while connecting: as a refusal of the token, or as unavailable for now. */
function tokenRefused(answer: Answer, now: number): CredentialsRefused | Retryable {
  const means = failure(answer, now);
  if (means.is === "retryable") return means;
  const hint = "Sign in to the Page again and send the new token.";
  return { ...credentialsRefused("/access_token", "Facebook rejects the token.", hint), ...saidIn(means) };
}

function lacking(scopes: string[]): CredentialsRefused {
  return credentialsRefused(
    "/access_token",
    `The token lacks ${scopes.join(", ")}.`,
    "Sign in again and leave all permissions selected.",
  );
}

/** Checks a token with the network and picks the Page. */
export async function connect(input: unknown, io: NetworkIO): Promise<Connected<Credential>> {
  const { access_token: token, account_id, expires_at } = handedOver.parse(input);
  const saidExpiry = parseExpiry(expires_at);
  const covered = await fetchCoverage(io, token);
  if ("pages" in covered) {
    if (covered.missing.length > 0) return lacking(covered.missing);
    const page = pick(covered.pages, account_id);
    if ("is" in page) return page;
    // A Page comes with a token if the user may publish to it.
    const pageToken = page.access_token ?? "";
    const inspected = await inspect(io, io.app, pageToken);
    const expiresAt = inspected === null ? saidExpiry : inspected.expiresAt;
    return toAccount(page, { pageToken, userToken: token, granted: covered.granted, expiresAt });
  }
  // Error 100: a Page's own token has no list of Pages.
  if (readGraphError(covered)?.code !== 100) return tokenRefused(covered, io.now());
  const page = await ownPage(io, token);
  if ("is" in page) return tokenRefused(page, io.now());
  const inspected = await inspect(io, io.app, token);
  if (inspected !== null && inspected.missing.length > 0) return lacking(inspected.missing);
  if (account_id !== undefined && account_id !== page.id) return notAmong([page], `no ${account_id}`);
  const expiresAt = inspected === null ? saidExpiry : inspected.expiresAt;
  return toAccount(page, { pageToken: token, userToken: null, granted: inspected?.granted ?? null, expiresAt });
}

function pick(pages: Page[], accountId: string | undefined): Page | CredentialsRefused {
  const usable = pages.filter(mayPublish);
  if (accountId === undefined) {
    const [only, second] = usable;
    if (only === undefined) return none(pages);
    return second === undefined ? only : notAmong(usable, "several Pages, and `account_id` is not set");
  }
  const page = pages.find(({ id }) => id === accountId);
  if (page === undefined) return usable.length === 0 ? none(pages) : notAmong(usable, `no Page ${accountId}`);
  if (mayPublish(page)) return page;
  return credentialsRefused(
    "/account_id",
    `The user behind the token may not publish on ${page.name}.`,
    "Give them the task CREATE_CONTENT on the Page, or use the token of a person who has it.",
  );
}

function none(pages: Page[]): CredentialsRefused {
  const names = pages.map(({ name }) => name).join(", ");
  return credentialsRefused(
    "/access_token",
    pages.length === 0 ? "The token covers no Page." : `The user behind the token may not publish on ${names}.`,
    "Facebook accepts posts for Pages only. Use the token of a person who may create content on a Page.",
  );
}

/** How many Pages a text names; a user may have hundreds. */
const NAMED_MAX = 20;

function notAmong(pages: Page[], coverageText: string): CredentialsRefused {
  const pageNames = pages.slice(0, NAMED_MAX).map(({ id, name }) => `${id} (${name})`);
  const suffix = pages.length > NAMED_MAX ? `, and ${pages.length - NAMED_MAX} more` : "";
  return credentialsRefused(
    "/account_id",
    `The token covers ${coverageText}.`,
    `Set one of these as \`account_id\`: ${pageNames.join(", ")}${suffix}.`,
  );
}

const grantRefused = (message: string, hint: string): GrantRefused => ({ is: "grant_refused", message, hint });

function exchangeFailed(answer: Answer, now: number): GrantRefused | Retryable {
  const means = failure(answer, now);
  // A wrong secret is refused with 400 and code 1 (stackoverflow.com/questions/14575477, read 2026-11-22), and a code is not
  // worth a second try.
  const passing = means.is === "retryable" && (means.error === "network_quota" || getStatus(answer) !== 400);
  if (passing) return means;
  const hint = "Start again: a code works once, for ten minutes.";
  return { ...grantRefused("Facebook rejects the sign-in.", hint), ...saidIn(means) };
}

const getStatus = (answer: Answer) => (answer.is === "answer" ? answer.status : null);

const AccessToken = z.object({ access_token: token });

async function exchangeFor(io: NetworkIO, app: App, query: Record<string, string>): Promise<string | Answer> {
  const keys = { client_id: app.clientId, client_secret: app.clientSecret };
  const answer = await get(io, null, "/oauth/access_token", { ...keys, ...query });
  return readSuccess(answer, AccessToken)?.access_token ?? answer;
}

export const consent: Consent<Credential> = {
  // The dialog accepts no PKCE challenge from apps that have a secret.
  address(app, { redirectUri, state, apiVersion }) {
    const query = new URLSearchParams({
      client_id: app.clientId,
      redirect_uri: redirectUri,
      state,
      response_type: "code",
      scope: scopesToAsk(PERMISSIONS, app).join(","),
    });
    return `${WEBSITE}/${versionFor({ apiVersion })}/dialog/oauth?${query}`;
  },

  async exchange({ code, redirectUri }, app, io): Promise<Granted<Credential> | GrantRefused | Retryable> {
    const short = await exchangeFor(io, app, { redirect_uri: redirectUri, code });
    if (typeof short !== "string") return exchangeFailed(short, io.now());
    // A page token expires together with the user token that was used to read it. So the user token of one hour is first
    // exchanged for a user token of sixty days.
    const exchange = { grant_type: "fb_exchange_token", fb_exchange_token: short };
    const user = await exchangeFor(io, app, exchange);
    if (typeof user !== "string") return exchangeFailed(user, io.now());
    const covered = await fetchCoverage(io, user);
    if (!("pages" in covered)) return exchangeFailed(covered, io.now());
    const { pages, missing, granted } = covered;
    if (missing.length > 0)
      return grantRefused(
        `The grant lacks ${missing.join(", ")}.`,
        "Connect again and leave all permissions selected.",
      );
    const usable = pages.filter(mayPublish);
    const [first] = usable;
    if (first?.access_token === undefined) {
      const names = pages.map(({ name }) => name).join(", ");
      return grantRefused(
        pages.length === 0 ? "The grant covers no Page." : `You may not create content on ${names}.`,
        "Facebook accepts posts for Pages only. Select a Page on which you may create content.",
      );
    }
    // All page tokens were read with one token and expire with it.
    const expiresAt = (await inspect(io, app, first.access_token))?.expiresAt ?? null;
    const accounts = usable.map((page) =>
      toAccount(page, { pageToken: page.access_token ?? "", userToken: user, granted, expiresAt }),
    );
    return { is: "granted", accounts };
  },
};

const PageToken = z.object({ id: z.string(), access_token: token });

/**
 * Reads a new page token with the user's token after a refusal. Tokens are not renewed in any other way; if the user's token
 * is dead too, only the user can fix that.
 */
export async function refresh({ credential, io }: ConnectorContext<Credential>): Promise<Refreshed<Credential>> {
  const { page_id, page_token, user_token } = credential;
  if (user_token === null) {
    const page = await ownPage(io, page_token);
    if (!("is" in page)) return { is: "fresh", credential };
    return deadToken(page) ?? unavailable(page, io.now());
  }
  const answer = await get(io, user_token, `/${page_id}`, { fields: "id,access_token" });
  const read = readSuccess(answer, PageToken);
  if (read?.id === page_id) return { is: "fresh", credential: { ...credential, page_token: read.access_token } };
  const dead = deadToken(answer);
  if (dead !== null) return dead;
  // The user lost the Page, or their role on it: the network omits the token, or refuses the Page.
  const lost = failure(answer, io.now());
  return lost.is === "rejected" && lost.error === "permission_missing"
    ? { is: "rejected", error: "token_revoked", ...reasonFor(lost) }
    : unavailable(answer, io.now());
}
