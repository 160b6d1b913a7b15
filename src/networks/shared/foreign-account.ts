// What networks say of accounts and posts, made fit to be stored and shown: strangers write it, and networks pass it on.
import type { HandedOver, Live, Unknown, VerifyOutcome } from "../../domain/delivery/outcome.ts";
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
/** Characters of all accounts of a consent as JSON, which wait in one row until some are chosen. */
const GRANT_LENGTH_MAX = 250_000;
/** Options of one list: Pinterest's 2,000 boards are the most that any network names (pinterest/look-ups.ts). */
const OPTIONS_MAX = 2_000;
/** The longest that a network's word keeps a channel or a delivery waiting: a quota of a day, on the day that clocks go back. */
const WAIT_MAX_MS = 25 * HOUR_MS;
/** What nobody counts so far; sums of many stay whole numbers. */
const COUNT_MAX = 1e12;

/** An id as rows and addresses keep it. Empty: the network never said it. */
const isKeepableId = (id: string): boolean =>
  id.length <= ID_LENGTH_MAX && removeHidden(id) === id && id.isWellFormed();

const cut = (text: string, lengthMax: number): string => [...text].slice(0, lengthMax).join("");

/** An address that a browser may follow, as it is written; null for any other. */
function toWebAddress(address: string | null): string | null {
  if (address === null || address.length > URL_LENGTH_MAX || removeHidden(address) !== address) return null;
  const url = URL.parse(address);
  return url?.protocol === "https:" || url?.protocol === "http:" ? address : null;
}

/** An account whose texts can be shown; null if it has no id or no name that could be kept. */
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

/** What a consent came to, with the accounts that can be kept, and how many there are besides. */
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

const UNNAMED: Unknown = { is: "unknown", detail: "the network names the post by an id that cannot be kept" };

/** What became of a post. One whose id cannot be kept may be out, but nothing could ever be asked about it. */
export function toShownOutcome<Answer extends { is: string }>(
  outcome: Answer | Live | HandedOver,
): Answer | Live | HandedOver | Unknown {
  if (!isOut(outcome)) return outcome;
  if (!isKeepableId(outcome.id)) return UNNAMED;
  return outcome.is === "live" ? toShownPost(outcome) : outcome;
}

const isOut = (outcome: { is: string } | Live | HandedOver): outcome is Live | HandedOver =>
  outcome.is === "live" || outcome.is === "handed_over";

/** An answer whose clause of Crier's quotes nothing hidden, and whose waits end. */
export function toShownAnswer<Answer extends { is: string }>(answer: Answer, now: number): Answer {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(answer)) {
    if (name === "detail" && typeof value === "string") kept[name] = visibleText(value, SENTENCE_LENGTH_MAX);
    if (WAITS.includes(name) && typeof value === "number") kept[name] = Math.min(value, now + WAIT_MAX_MS);
  }
  return { ...answer, ...kept };
}
const WAITS = ["notBefore", "retryAt", "askAt"];

/** Figures that are counts; any other is none. */
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
export const toShownFinding = (found: VerifyOutcome): VerifyOutcome =>
  found.is === "there" ? { ...found, url: toWebAddress(found.url) } : found;

/** Options whose labels have nothing hidden, and that can be chosen by their value. */
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
