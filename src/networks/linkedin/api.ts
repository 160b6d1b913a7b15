// Calls of the versioned API and what its refusals mean: learn.microsoft.com/en-us/linkedin, as quoted by dated notes read
// 2026-11-20.
import * as z from "zod";
import { DAY_MS, HOUR_MS } from "../../domain/limits.ts";
import type { Busy, Refused, Stale, Unsure } from "../../domain/outcome.ts";
import type { Wire } from "../network.ts";
import { type Meaning, outcomeOf } from "../protocols/catalogue.ts";
import { type Answer, ask, CALL_TIMEOUT_MS } from "../protocols/send.ts";

const API = "https://api.linkedin.com";
/** A version lives a year at least: this one until about 2027-09-15. */
const VERSION = "202609";

/** Calls the API with a bearer token. Addresses outside `/rest` take no version. */
export function call(
  wire: Wire,
  accessToken: string,
  method: "GET" | "POST",
  path: string,
  { json, restMethod }: { json?: object; restMethod?: "FINDER" } = {},
): Promise<Answer> {
  const headers: Record<string, string> = { authorization: `Bearer ${accessToken}` };
  if (path.startsWith("/rest/")) {
    headers["linkedin-version"] = VERSION;
    headers["x-restli-protocol-version"] = "2.0.0";
    if (restMethod !== undefined) headers["x-restli-method"] = restMethod;
  }
  const init: RequestInit = { method, headers };
  if (json !== undefined) {
    headers["content-type"] = "application/json";
    init.body = JSON.stringify(json);
  }
  return ask((signal) => wire.fetch(`${API}${path}`, { ...init, signal }), CALL_TIMEOUT_MS);
}

/** Calls the token endpoint; the app's secret goes in the form. */
export function callToken(wire: Wire, fields: Record<string, string>): Promise<Answer> {
  const { clientId = "", clientSecret = "" } = wire.app ?? {};
  const body = new URLSearchParams({ ...fields, client_id: clientId, client_secret: clientSecret });
  return ask(
    (signal) => wire.fetch("https://www.linkedin.com/oauth/v2/accessToken", { method: "POST", body, signal }),
    CALL_TIMEOUT_MS,
  );
}

/** The parsed body of a success; undefined for anything else. */
export function resultOf<Schema extends z.ZodType>(answer: Answer, schema: Schema): z.output<Schema> | undefined {
  if (answer.is === "silence" || answer.status < 200 || answer.status > 299) return undefined;
  return schema.safeParse(answer.body).data;
}

const Failure = z.object({
  message: z.string().default(""),
  code: z.string().optional(),
  error: z.string().optional(),
  errorDetails: z.object({ inputErrors: z.array(z.object({ code: z.string() })).default([]) }).optional(),
});

interface Entry {
  status: number;
  /** The answer's code, or one of its input errors; any, when left out. */
  code?: string;
  means: Meaning | "until_midnight";
}
/** The first that fits counts. */
export const CATALOGUE: readonly Entry[] = [
  { status: 401, means: { is: "stale" } },
  { status: 403, means: { is: "refused", error: "permission_missing" } },
  { status: 422, code: "DUPLICATE_POST", means: { is: "refused", error: "duplicate_content" } },
  { status: 422, means: { is: "refused", error: "content_refused" } },
  // Our version has retired: the operator's matter; nobody's post fails for it before its day is over.
  { status: 400, code: "VERSION_MISSING", means: { is: "busy", error: "network_unavailable", waitMs: HOUR_MS } },
  { status: 426, means: { is: "busy", error: "network_unavailable", waitMs: HOUR_MS } },
  { status: 400, means: { is: "refused", error: "content_refused" } },
  { status: 409, means: { is: "busy", error: "network_unavailable" } },
  // Daily limits end at midnight UTC, and no header says so.
  { status: 429, means: "until_midnight" },
];

/** What a documented refusal means; null when the answer is none. A 4xx created nothing. */
export function refusalOf(answer: Answer, now: number): Refused | Busy | Stale | Unsure | null {
  if (answer.is === "silence") return null;
  const failure = Failure.safeParse(answer.body).data;
  if (failure === undefined) return null;
  const codes = [failure.code, ...(failure.errorDetails?.inputErrors ?? []).map(({ code }) => code)];
  const entry = CATALOGUE.find(
    ({ status, code }) => status === answer.status && (code === undefined || codes.includes(code)),
  );
  if (entry === undefined) return null;
  const detail = `${failure.message.slice(0, 300)}${failure.code === undefined ? "" : ` (${failure.code})`}`;
  if (entry.means !== "until_midnight") return outcomeOf(entry.means, detail, now);
  const midnight = Math.ceil((now + 1) / DAY_MS) * DAY_MS;
  return { is: "busy", error: "network_quota", detail, notBefore: midnight };
}
