// Error answers of Meta's Graph APIs: developers.facebook.com/docs/graph-api/guides/error-handling, read 2026-11-20.
import * as z from "zod";
import { DAY_MS, HOUR_MS } from "../../../domain/limits.ts";
import type { Meaning } from "../error-catalogue.ts";
import type { Answer } from "../http-call.ts";

const Body = z.object({
  error: z.object({
    message: z.string().catch(""),
    code: z.number(),
    // An answer is identified by its code, even if the rest of it is malformed.
    error_subcode: z.number().nullable().catch(null),
    is_transient: z.boolean().catch(false),
    error_user_msg: z.string().nullable().catch(null),
  }),
});

export interface GraphError {
  code: number;
  subcode: number | null;
  /** Meta itself says that trying later helps. */
  transient: boolean;
  /** Meta's message, with its numbers. */
  message: string;
}

/**
 * Problems that only the person can fix, at facebook.com, while the token stays valid: a checkpoint (190/459 and 190/464, in
 * gitroomhq/postiz-app pull request 2045: 1,827 posts in 45 days), or a role on the Page (190 without a subcode, in pull
 * request 1912 and snarfed/bridgy issue 596, read 2026-11-24), which only the message distinguishes from a dead token.
 */
export const isPersonNeeded = ({ code, subcode, message }: GraphError): boolean =>
  code === 190 && (subcode === 459 || subcode === 464 || (subcode === null && /impersonat(?:e|ing)\b/.test(message)));

/** Meta repeats a token that it cannot read ("Malformed access token ..."); no other word in its messages is so long. */
const TOKEN = /[\w-]{60,}/g;

/** The error of an answer, without any token in it; null if it has none. */
export function readGraphError(answer: Answer): GraphError | null {
  const parsed = answer.is === "answer" ? Body.safeParse(answer.body) : null;
  if (!parsed?.success) return null;
  const { message, code, error_subcode: subcode, is_transient: transient, error_user_msg } = parsed.data.error;
  const number = subcode === null ? `${code}` : `${code}/${subcode}`;
  const description = (error_user_msg ?? message).replaceAll(TOKEN, "…");
  return { code, subcode, transient, message: `${description} (${number})`.trim() };
}

/**
 * 100/33, "Object does not exist", proves nothing by itself: in the outage of May 2026 every object got this answer for days
 * while tokens were valid (events-tracker issue 1900, read 2026-11-24). Another post has to be readable, and the second
 * recheck follows after this time.
 */
export const GONE_CONFIRM_MS = DAY_MS;

/** One line of a catalogue: a code, or a range of codes, or one subcode of a code. */
export interface GraphEntry<Means = Meaning> {
  code?: number | readonly [from: number, to: number];
  subcode?: number;
  means: Means;
}

/**
 * The version that calls name is unknown (2500, "Unknown path components") or has ended (2635, so far reported for ads only:
 * facebook/facebook-nodejs-business-sdk issue 239, read 2026-11-25). All deliveries wait until the deployment names another
 * version.
 */
const versionEnded: Meaning = {
  is: "retryable",
  error: "service_misconfigured",
  waitMs: HOUR_MS,
  fix: "Meta does not support the API version that this deployment calls. The operator must set META_VERSION to a current version.",
};
export const VERSION_ERRORS: readonly GraphEntry[] = [2500, 2635].map((code) => ({ code, means: versionEnded }));

/** The meaning of an error: among matching entries, one with a subcode takes precedence. */
export function findMeaning<Means = Meaning>(
  error: Pick<GraphError, "code" | "subcode">,
  catalogue: readonly GraphEntry<Means>[],
): Means | undefined {
  const fits = ({ code, subcode }: GraphEntry<Means>) =>
    (subcode === undefined || subcode === error.subcode) &&
    (code === undefined ||
      (typeof code === "number" ? code === error.code : error.code >= code[0] && error.code <= code[1]));
  const matches = catalogue.filter(fits);
  return (matches.find(({ subcode }) => subcode !== undefined) ?? matches[0])?.means;
}

/**
 * When Meta's own header says that calls are allowed again (epoch milliseconds):
 * developers.facebook.com/docs/graph-api/overview/rate-limiting, read 2026-11-20. undefined if it does not say.
 */
export function regainAt(headers: Headers, now: number): number | undefined {
  const text = headers.get("x-business-use-case-usage");
  if (text === null) return undefined;
  const minutes = [...text.matchAll(/"estimated_time_to_regain_access"\s*:\s*(\d{1,6})/g)].map(([, digits]) =>
    Number(digits),
  );
  const most = Math.max(0, ...minutes);
  return most === 0 ? undefined : now + most * 60_000;
}
