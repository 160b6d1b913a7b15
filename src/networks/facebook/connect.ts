// Connecting with tokens that somebody handed over: a person's, which covers Pages, or a Page's own.
import type { Busy } from "../../domain/delivery/outcome.ts";
import type { Connected, CredentialsRefused, Wire } from "../network.ts";
import type { Answer } from "../shared/http-call.ts";
import { graphErrorOf } from "../shared/meta/graph.ts";
import { handedOver } from "../shared/oauth2.ts";
import { failure } from "./errors.ts";
import { accountOf, coverageOf, inspect, mayPublish, ownPage, type Page } from "./pages.ts";
import type { Credential } from "./rule.ts";

const refused = (field: string, message: string, hint: string): CredentialsRefused => ({
  is: "credentials_refused",
  field,
  message,
  hint,
});

/** A read that failed while connecting: the network's word on the token, or try later. */
function failed(answer: Answer, now: number): CredentialsRefused | Busy {
  const means = failure(answer, now);
  if (means.is === "busy") return means;
  return refused(
    "/access_token",
    `Facebook refuses the token: ${means.detail}`,
    "Sign in to the Page anew and hand over the new token.",
  );
}

function lacking(scopes: string[]): CredentialsRefused {
  return refused(
    "/access_token",
    `The token lacks ${scopes.join(", ")}.`,
    "Sign in again and leave all permissions ticked.",
  );
}

/** Checks a token with the network and picks the Page. */
export async function connect(input: unknown, wire: Wire): Promise<Connected<Credential>> {
  const { access_token: token, account_id, expires_at } = handedOver.parse(input);
  const given = expires_at === undefined ? null : Date.parse(expires_at);
  const covered = await coverageOf(wire, token);
  if ("pages" in covered) {
    if (covered.missing.length > 0) return lacking(covered.missing);
    const page = pick(covered.pages, account_id);
    if ("is" in page) return page;
    // A Page that may be published to has a token.
    const pageToken = page.access_token ?? "";
    const inspected = await inspect(wire, wire.app, pageToken);
    return accountOf(page, pageToken, token, inspected === null ? given : inspected.expiresAt);
  }
  // A Page has no Pages: 100 says that its token has no such list.
  if (graphErrorOf(covered)?.code !== 100) return failed(covered, wire.now());
  const page = await ownPage(wire, token);
  if ("is" in page) return failed(page, wire.now());
  const inspected = await inspect(wire, wire.app, token);
  if (inspected !== null && inspected.missing.length > 0) return lacking(inspected.missing);
  if (account_id !== undefined && account_id !== page.id) return notAmong([page], `no ${account_id}`);
  return accountOf(page, token, null, inspected === null ? given : inspected.expiresAt);
}

function pick(pages: Page[], accountId: string | undefined): Page | CredentialsRefused {
  const usable = pages.filter(mayPublish);
  if (accountId === undefined) {
    const [only, second] = usable;
    if (only === undefined) return none(pages);
    return second === undefined ? only : notAmong(usable, "several Pages, and `account_id` names none");
  }
  const named = pages.find(({ id }) => id === accountId);
  if (named === undefined) return usable.length === 0 ? none(pages) : notAmong(usable, `no Page ${accountId}`);
  if (mayPublish(named)) return named;
  return refused(
    "/account_id",
    `The person behind the token may not publish on ${named.name}.`,
    "Give them the task CREATE_CONTENT on the Page, or use the token of somebody who has it.",
  );
}

function none(pages: Page[]): CredentialsRefused {
  const names = pages.map(({ name }) => name).join(", ");
  return refused(
    "/access_token",
    pages.length === 0 ? "The token covers no Page." : `The person behind the token may not publish on ${names}.`,
    "Facebook takes posts for Pages only: use the token of somebody who may create content on one.",
  );
}

/** Pages that an answer names; a person may have hundreds. */
const NAMED_MAX = 20;

function notAmong(pages: Page[], found: string): CredentialsRefused {
  const named = pages.slice(0, NAMED_MAX).map(({ id, name }) => `${id} (${name})`);
  const more = pages.length > NAMED_MAX ? `, and ${pages.length - NAMED_MAX} more` : "";
  return refused(
    "/account_id",
    `The token covers ${found}.`,
    `Name one of these as \`account_id\`: ${named.join(", ")}${more}.`,
  );
}
