// What networks say of accounts and posts, made fit to be stored and shown: strangers write it, and networks pass it on.
import type { Live, VerifyOutcome } from "../../domain/delivery/outcome.ts";
import { NAME_LENGTH_MAX, URL_LENGTH_MAX } from "../../domain/limits.ts";
import type { OptionValue } from "../../domain/option-lookup.ts";
import { cleanName, removeHidden } from "../../domain/visible-name.ts";
import { visibleText } from "../../domain/visible-text.ts";
import type { Account, Connected, CredentialsRefused, Granted, GrantRefused, OptionsOutcome } from "../network.ts";

const ID_LENGTH_MAX = 500;
const HANDLE_LENGTH_MAX = 500;
const SENTENCE_LENGTH_MAX = 1_000;

const cut = (text: string, lengthMax: number): string => [...text].slice(0, lengthMax).join("");

/** An address that a browser may follow, as it is written; null for any other. */
function toWebAddress(address: string | null): string | null {
  const url = address === null || address.length > URL_LENGTH_MAX ? null : URL.parse(address);
  return url?.protocol === "https:" || url?.protocol === "http:" ? address : null;
}

/** An account whose texts can be shown; null if it has no id or no name that could be kept. */
function toShownAccount<Credential>(account: Account<Credential>): Account<Credential> | null {
  const { accountId } = account;
  const handle = cut(cleanName(account.handle), HANDLE_LENGTH_MAX);
  const isKeepable = accountId !== "" && accountId.length <= ID_LENGTH_MAX && removeHidden(accountId) === accountId;
  if (handle === "" || !isKeepable) return null;
  return {
    ...account,
    handle,
    name: account.name === null ? null : cut(cleanName(account.name), NAME_LENGTH_MAX) || null,
    avatarUrl: toWebAddress(account.avatarUrl),
    profileUrl: toWebAddress(account.profileUrl),
  };
}

/** A refusal in whose sentences the network's names have nothing hidden. */
function toShownRefusal<Refused extends CredentialsRefused | GrantRefused>(refused: Refused): Refused {
  const { message, hint } = refused;
  return {
    ...refused,
    message: visibleText(message, SENTENCE_LENGTH_MAX),
    hint: visibleText(hint, SENTENCE_LENGTH_MAX),
  };
}

/** What connecting an account came to, fit to be shown. */
export function toShownConnection<Credential>(connected: Connected<Credential>): Connected<Credential> {
  if (connected.is === "credentials_refused") return toShownRefusal(connected);
  if (connected.is !== "connected") return connected;
  const message = "The network names an account that has no usable id or name.";
  return (
    toShownAccount(connected) ?? { is: "credentials_refused", field: "", message, hint: "Connect another account." }
  );
}

/** What a consent came to, with the accounts that can be kept. */
export function toShownGrant<Credential, Other extends { is: "retryable" }>(
  grant: Granted<Credential> | GrantRefused | Other,
): Granted<Credential> | GrantRefused | Other {
  if (grant.is === "retryable") return grant;
  if (grant.is === "grant_refused") return toShownRefusal(grant);
  return { ...grant, accounts: grant.accounts.flatMap((account) => toShownAccount(account) ?? []) };
}

/** A live post, with its address only if a browser may follow it. */
export function toShownPost(live: Live): Live {
  const url = toWebAddress(live.url);
  return live.url === null || url !== null ? live : { ...live, url, urlState: "not_reported" };
}

/** A post that was found, with its address only if a browser may follow it. */
export const toShownFinding = (found: VerifyOutcome): VerifyOutcome =>
  found.is === "there" ? { ...found, url: toWebAddress(found.url) } : found;

/** Options whose labels have nothing hidden. */
export const toShownOptions = (outcome: OptionsOutcome): OptionsOutcome =>
  outcome.is === "options" ? { ...outcome, options: outcome.options.map(toShownOption) } : outcome;

const toShownOption = ({ label, description, ...option }: OptionValue): OptionValue => ({
  ...option,
  label: cut(cleanName(label), NAME_LENGTH_MAX),
  description: description === null ? null : visibleText(description, SENTENCE_LENGTH_MAX),
});
