// The meaning of the API's refusals, from the same sources as `api.ts`.
import * as z from "zod";
import type { Rejected, Retryable, Unauthorized, Unknown } from "../../domain/delivery/outcome.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../domain/limits.ts";
import type { ConnectorContext } from "../network.ts";
import { type Meaning, toOutcome } from "../shared/error-catalogue.ts";
import { type Answer, retryAt, unavailable } from "../shared/http-call.ts";
import type { Credential } from "./rule.ts";

/**
 * A token that was just issued is sometimes refused for some seconds, as revoked (65601) or expired (65602): 2 to 10 seconds
 * in tomasvotava/fastapi-sso issue 196, jclusso/omniauth-linkedin-openid issue 6 and decioferreira/omniauth-linkedin-oauth2
 * issue 17, read 2026-11-24. A refusal within this many milliseconds after issue does not prove that the token is
 * invalid.
 */
const YOUNG_TOKEN_MS = 10 * MINUTE_MS;
const NOT_YET_ACCEPTED = [65_601, 65_602];

const Failure = z.object({
  message: z.string().default(""),
  code: z.string().optional().catch(undefined),
  serviceErrorCode: z.number().optional().catch(undefined),
  errorDetails: z
    .object({ inputErrors: z.array(z.object({ code: z.string() })) })
    .optional()
    .catch(undefined),
});

interface Entry {
  status: number;
  /** Without a code, the entry matches every code. */
  code?: string;
  means: Meaning;
}
/** All deliveries wait until the operator sets another API version. */
const VERSION_ENDED: Meaning = {
  is: "retryable",
  error: "service_misconfigured",
  waitMs: HOUR_MS,
  fix: "LinkedIn no longer supports the API version that this deployment calls. The operator must set LINKEDIN_VERSION to a current version.",
};
/** The first entry that matches an answer decides. */
export const CATALOGUE: readonly Entry[] = [
  { status: 401, means: { is: "unauthorized" } },
  { status: 403, means: { is: "rejected", error: "permission_missing" } },
  // The message names the post that has the same text. Sometimes that post was deleted a day ago.
  { status: 422, code: "DUPLICATE_POST", means: { is: "rejected", error: "duplicate_content" } },
  { status: 422, means: { is: "rejected", error: "content_refused" } },
  { status: 400, code: "VERSION_MISSING", means: VERSION_ENDED },
  { status: 426, means: VERSION_ENDED },
  { status: 409, means: { is: "retryable", error: "network_unavailable" } },
  { status: 429, means: { is: "retryable", error: "network_quota" } },
  { status: 400, means: { is: "rejected", error: "content_refused" } },
];

/** The channel that made the call. If its token is new, a refusal of the token may be temporary. */
type Asker = ConnectorContext<Pick<Credential, "issued_at">>;

/** Whether the API itself says that the post does not exist. A 404 page from a proxy in front of the API does not count. */
export const isNoPost = (answer: Answer): boolean =>
  answer.is === "answer" && [404, 410].includes(answer.status) && Failure.safeParse(answer.body).success;

/** Classifies a documented refusal; null for any other answer. A call with a 4xx answer created nothing. */
export function readRejection(
  answer: Answer,
  { io, credential }: Asker,
): Rejected | Retryable | Unauthorized | Unknown | null {
  if (answer.is === "silence") return null;
  const now = io.now();
  const { status } = answer;
  const failure = Failure.safeParse(answer.body).data;
  // A page instead of JSON is not from the API; only a rate limit may come from a proxy in front of it.
  if (failure === undefined && status !== 429) return null;
  const { message, code, serviceErrorCode, errorDetails } = failure ?? { message: "" };
  const isYoung = now < credential.issued_at + YOUNG_TOKEN_MS;
  if (status === 401 && isYoung && serviceErrorCode !== undefined && NOT_YET_ACCEPTED.includes(serviceErrorCode)) {
    const detail = `LinkedIn does not accept the new access token yet (${serviceErrorCode})`;
    return { is: "retryable", error: "network_unavailable", detail };
  }
  const codes = [...(errorDetails?.inputErrors.map((error) => error.code) ?? []), code];
  const entry = CATALOGUE.find((entry) => entry.status === status && (!entry.code || codes.includes(entry.code)));
  if (entry === undefined) return null;
  // Quotas are daily and reset at midnight UTC. No header says how many calls are left.
  const allowed =
    status === 429 ? (retryAt(answer.headers, now) ?? (Math.floor(now / DAY_MS) + 1) * DAY_MS) : undefined;
  const errorCode = codes.find((code) => code !== undefined) ?? status;
  return toOutcome(entry.means, { networkMessage: `${message} (${errorCode})`.trim() }, now, allowed);
}

export type Trouble = Retryable | Rejected | Unauthorized;

/** The result of a call that publishes nothing: unclear answers are retried. */
export function readProblem(answer: Answer, asker: Asker): Trouble {
  const rejection = readRejection(answer, asker);
  return rejection === null || rejection.is === "unknown" ? unavailable(answer, asker.io.now()) : rejection;
}
