// Makes network data about accounts and posts fit to be stored and shown: strangers write it, and networks pass it on.
import type { HandedOver, Live, RecheckOutcome, Unknown } from "../../domain/delivery/outcome.ts";
import { HOUR_MS, NAME_LENGTH_MAX, URL_LENGTH_MAX } from "../../domain/limits.ts";
import { METRICS, type Metrics } from "../../domain/metrics.ts";
import type { OptionValue } from "../../domain/option-lookup.ts";
import { cleanName, removeHidden } from "../../domain/visible-name.ts";
import { visibleText } from "../../domain/visible-text.ts";
import type {
  Account,
  Connected,
  CredentialsRefused,
  Granted,
  GrantRefused,
  MetricsOutcome,
  OptionsOutcome,
} from "../network.ts";

const ID_LENGTH_MAX = 500;
const HANDLE_LENGTH_MAX = 500;
const SENTENCE_LENGTH_MAX = 1_000;
/** The length limit for all accounts of a consent as JSON, which wait in one row until some are chosen. */
const GRANT_LENGTH_MAX = 250_000;
/** Options in one list: Pinterest's 2,000 boards are the most that any network documents (pinterest/look-ups.ts). */
const OPTIONS_MAX = 2_000;
/** The longest wait that a network can impose on a channel or a delivery: a daily quota, on the day that clocks go back. */
const WAIT_MAX_MS = 25 * HOUR_MS;
/** Above any real count so far, and low enough that sums stay whole numbers. */
const COUNT_MAX = 1e12;

/** Whether an id can be stored in a row and used in an address. An empty id means that the network never reported one. */
const isKeepableId = (id: string): boolean =>
  id.length <= ID_LENGTH_MAX && removeHidden(id) === id && id.isWellFormed();

const cut = (text: string, lengthMax: number): string => [...text].slice(0, lengthMax).join("");

/** Returns an address that a browser may follow, unchanged. Returns null for any other address. */
function toWebAddress(address: string | null): string | null {
  if (address === null || address.length > URL_LENGTH_MAX || removeHidden(address) !== address) return null;
  const url = URL.parse(address);
  return url?.protocol === "https:" || url?.protocol === "http:" ? address : null;
}

/** Returns an account whose texts can be shown, or null if it has no usable id or name. */
function toShownAccount<Credential>(account: Account<Credential>): Account<Credential> | null {
  const { accountId } = account;
  const handle = cut(cleanName(account.handle), HANDLE_LENGTH_MAX);
  if (handle === "" || accountId === "" || !isKeepableId(accountId)) return null;
  return {
    ...account,
    handle,
    name: account.name === null ? null : cut(cleanName(account.name), NAME_LENGTH_MAX) || null,
    avatarUrl: toWebAddress(account.avatarUrl),
    profileUrl: toWebAddress(account.profileUrl),
  };
}

/** Removes hidden characters from the network's names in a refusal. */
function toShownRefusal<Refused extends CredentialsRefused | GrantRefused>(refused: Refused): Refused {
  const { message, hint } = refused;
  return {
    ...refused,
    message: visibleText(message, SENTENCE_LENGTH_MAX),
    hint: visibleText(hint, SENTENCE_LENGTH_MAX),
  };
}

/** The result of connecting an account, fit to be shown. */
export function toShownConnection<Credential>(connected: Connected<Credential>): Connected<Credential> {
  if (connected.is === "credentials_refused") return toShownRefusal(connected);
  if (connected.is !== "connected") return connected;
  const message = "The network returned an account without a usable id or name.";
  return (
    toShownAccount(connected) ?? { is: "credentials_refused", field: "", message, hint: "Connect another account." }
  );
}

/** The start of a consent, fit to be shown. */
export const toShownStart = <Started extends { is: "started" | "retryable" }>(
  start: Started | GrantRefused,
): Started | GrantRefused => (start.is === "grant_refused" ? toShownRefusal(start) : start);

/** The result of a consent, with the accounts that can be stored, and the number of the others. */
export function toShownGrant<Credential, Other extends { is: "retryable" }>(
  grant: Granted<Credential> | GrantRefused | Other,
): Granted<Credential> | GrantRefused | Other {
  if (grant.is === "retryable") return grant;
  if (grant.is === "grant_refused") return toShownRefusal(grant);
  let room = GRANT_LENGTH_MAX;
  const accounts = grant.accounts
    .flatMap((account) => toShownAccount(account) ?? [])
    .filter((account) => {
      const { length } = JSON.stringify(account);
      if (length > room) return false;
      room -= length;
      return true;
    });
  return { ...grant, accounts, leftOut: grant.accounts.length - accounts.length };
}

/** A live post, with its address only if a browser may follow it. */
export function toShownPost({ note, ...live }: Live): Live {
  const url = toWebAddress(live.url);
  return {
    ...live,
    ...(live.url === null || url !== null ? {} : { url, urlState: "not_reported" }),
    ...(note === undefined ? {} : { note: visibleText(note, SENTENCE_LENGTH_MAX) }),
  };
}

const UNNAMED: Unknown = { is: "unknown", detail: "the network returned a post id that cannot be stored" };

/** The outcome of a post. If its id cannot be stored, the post may be out, but the network could never be asked about it. */
export function toShownOutcome<Answer extends { is: string }>(
  outcome: Answer | Live | HandedOver,
): Answer | Live | HandedOver | Unknown {
  if (!isOut(outcome)) return outcome;
  if (!isKeepableId(outcome.id)) return UNNAMED;
  return outcome.is === "live" ? toShownPost(outcome) : outcome;
}

const isOut = (outcome: { is: string } | Live | HandedOver): outcome is Live | HandedOver =>
  outcome.is === "live" || outcome.is === "handed_over";

/** Removes hidden characters from the quotes in an answer, and limits its waits. */
export function toShownAnswer<Answer extends { is: string }>(answer: Answer, now: number): Answer {
  const shownFields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(answer)) {
    if (name === "detail" && typeof value === "string") shownFields[name] = visibleText(value, SENTENCE_LENGTH_MAX);
    if (WAITS.includes(name) && typeof value === "number") shownFields[name] = Math.min(value, now + WAIT_MAX_MS);
  }
  return { ...answer, ...shownFields };
}
const WAITS = ["notBefore", "retryAt", "askAt"];

/** Keeps only metrics that are valid counts. */
export function toShownMetrics(outcome: MetricsOutcome): MetricsOutcome {
  if (outcome.is !== "read") return outcome;
  const metrics: Metrics = {};
  for (const metric of METRICS) {
    const count = outcome.metrics[metric];
    if (count !== undefined && Number.isInteger(count) && count >= 0 && count <= COUNT_MAX) metrics[metric] = count;
  }
  return { ...outcome, metrics };
}

/** A post that was found, with its address only if a browser may follow it. */
export const toShownFinding = (outcome: RecheckOutcome): RecheckOutcome =>
  outcome.is === "there" ? { ...outcome, url: toWebAddress(outcome.url) } : outcome;

/** Removes hidden characters from the labels of options, and drops options that cannot be chosen by their value. */
export const toShownOptions = (outcome: OptionsOutcome): OptionsOutcome =>
  outcome.is === "options"
    ? { ...outcome, options: outcome.options.slice(0, OPTIONS_MAX).flatMap((option) => toShownOption(option) ?? []) }
    : outcome;

function toShownOption({ value, label, description, disabledReason }: OptionValue): OptionValue | null {
  if (value === "" || !isKeepableId(value)) return null;
  return {
    value,
    label: cut(cleanName(label.slice(0, SENTENCE_LENGTH_MAX)), NAME_LENGTH_MAX) || value,
    description:
      description === null ? null : visibleText(description.slice(0, 2 * SENTENCE_LENGTH_MAX), SENTENCE_LENGTH_MAX),
    disabledReason,
  };
}
