// Calls to the API v2 and the problems in its answers: docs.x.com, read 2026-11-20.
import * as z from "zod";
import type { ConnectorContext, NetworkIO } from "../network.ts";
import { type Answer, ask, CALL_TIMEOUT_MS } from "../shared/http-call.ts";
import type { Credential } from "./rule.ts";

const API = "https://api.x.com";
/** Without a user agent, a write was blocked by bot protection. */
const USER_AGENT = "crier";

/** Calls the API with a bearer token. `json` is sent as JSON; `pieces` are sent unchanged. */
export function call(
  io: NetworkIO,
  accessToken: string,
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: { json: object } | { pieces: Parameters<NetworkIO["sized"]>[0]; type: string; bytes: number },
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<Answer> {
  const headers: Record<string, string> = { authorization: `Bearer ${accessToken}`, "user-agent": USER_AGENT };
  const init: RequestInit = { method, headers };
  if (body !== undefined && "json" in body) {
    headers["content-type"] = "application/json";
    init.body = JSON.stringify(body.json);
  } else if (body !== undefined) {
    headers["content-type"] = body.type;
    headers["content-length"] = String(body.bytes);
    init.body = io.sized(body.pieces, body.bytes);
  }
  return ask((signal) => io.fetch(`${API}${path}`, { ...init, signal }), timeoutMs);
}

/**
 * The parameter that requests fields of a post, and the field with the text of a long post. The OpenAPI description 2.167
 * and the guides use different names for both.
 */
const DIALECTS = { "post.fields": "note_post", "tweet.fields": "note_tweet" } as const;
type Dialect = keyof typeof DIALECTS;
/** For each app, the last dialect that worked after the other dialect had failed. */
const answeredIn = new Map<string, Dialect>();

/** Every post has this field, but X returns it only on request. If it is missing, X ignored the request for fields. */
const PROOF = "created_at";
/** The members of a post without requested fields; the last one is `edit_history_tweet_ids` in the guides. */
const BARE = ["id", "text", "edit_history_post_ids", "edit_history_tweet_ids"];
const Posts = z.object({ data: z.array(z.record(z.string(), z.unknown())).min(1) });
/** Whether the answer ignores the requested fields. */
const isIgnored = ({ status, body }: Extract<Answer, { is: "answer" }>): boolean =>
  status === 200 &&
  (Posts.safeParse(body).data?.data.every((post) => Object.keys(post).every((name) => BARE.includes(name))) ?? false);

/**
 * Reads posts with some of their fields. The field `note` is the full text of a long post. If X refuses or ignores one
 * dialect, the other dialect is tried once. X may ignore a dialect without an error: the emulator of
 * xdevplatform/playground, read 2026-11-24, accepts every parameter that ends in `.fields`, "as the X API does". Without
 * the requested fields, a link or a file would look as if it were missing.
 */
export async function readPosts(
  { io, credential }: ConnectorContext<Pick<Credential, "access_token">>,
  path: string,
  query: Record<string, string>,
  fields: readonly string[],
): Promise<Answer> {
  const app = io.app?.clientId ?? "";
  const ask = (dialect: Dialect) => {
    const fieldList = [...new Set([...fields, PROOF])]
      .map((field) => (field === "note" ? DIALECTS[dialect] : field))
      .join(",");
    const search = new URLSearchParams(fields.length === 0 ? query : { ...query, [dialect]: fieldList });
    return call(io, credential.access_token, "GET", `${path}?${search}`);
  };
  const first = answeredIn.get(app) ?? "post.fields";
  const answer = await ask(first);
  if (fields.length === 0 || answer.is === "silence") return answer;
  if (answer.status !== 400 && !isIgnored(answer)) return answer;
  const second = first === "post.fields" ? "tweet.fields" : "post.fields";
  const again = await ask(second);
  if (again.is === "silence") return again;
  if (again.status === 200 && !isIgnored(again)) answeredIn.set(app, second);
  return again.status === 400 || isIgnored(again) ? answer : again;
}

/** Calls the token endpoint as the app, a confidential client. */
export function callToken(io: Pick<NetworkIO, "app" | "fetch">, fields: Record<string, string>): Promise<Answer> {
  const { clientId, clientSecret } = io.app ?? { clientId: "", clientSecret: "" };
  const headers = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`, "user-agent": USER_AGENT };
  return ask(
    (signal) =>
      io.fetch(`${API}/2/oauth2/token`, { method: "POST", headers, body: new URLSearchParams(fields), signal }),
    CALL_TIMEOUT_MS,
  );
}

/** A problem (RFC 9457), by itself or in `errors`; older calls have a code and a message instead. */
const Problem = z.object({
  type: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
  code: z.number().optional(),
  message: z.string().optional(),
  error: z.string().optional(),
});
type Problem = z.output<typeof Problem>;
const Wrapped = z.object({ errors: z.array(Problem).min(1) });

export function readProblems(answer: Answer): Problem[] {
  if (answer.is === "silence") return [];
  const wrapped = Wrapped.safeParse(answer.body).data?.errors;
  if (wrapped !== undefined) return wrapped;
  const alone = Problem.safeParse(answer.body).data;
  return alone === undefined ? [] : [alone];
}

/** The kind of a problem: the last segment of its type, as `usage-capped` in `.../problems/usage-capped`. */
export const getProblemKind = ({ type }: Problem): string => type?.split("/").at(-1) ?? "";
