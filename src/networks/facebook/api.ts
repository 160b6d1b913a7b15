// Calls to the Graph API: developers.facebook.com/docs/graph-api, read 2026-11-20.
import type * as z from "zod";
import type { JsonObject } from "../../domain/json.ts";
import type { NetworkIO } from "../network.ts";
import { type Answer, ask, CALL_TIMEOUT_MS } from "../shared/http-call.ts";
import { versionFor } from "../shared/meta/versions.ts";

type Versioned = Pick<NetworkIO, "apiVersion">;
export const graph = (io: Versioned) => `https://graph.facebook.com/${versionFor(io)}`;
/** The host for the chunks of a plain video: docs/video-api/guides/publishing, read 2026-11-20. */
export const graphVideo = (io: Versioned) => `https://graph-video.facebook.com/${versionFor(io)}`;
export const WEBSITE = "https://www.facebook.com";

/** Makes a GET call. `token` is null if the query itself identifies the caller. */
export function get(
  io: Pick<NetworkIO, "fetch" | "apiVersion">,
  token: string | null,
  path: string,
  query: Record<string, string>,
): Promise<Answer> {
  const headers: HeadersInit = token === null ? {} : { authorization: `Bearer ${token}` };
  const url = `${graph(io)}${path}?${new URLSearchParams(query)}`;
  return ask((signal) => io.fetch(url, { headers, signal }), CALL_TIMEOUT_MS);
}

/** Makes a POST call. Undefined fields are left out. */
export function post(
  io: NetworkIO,
  token: string,
  path: string,
  body: { [name: string]: JsonObject[string] | undefined },
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return ask((signal) => io.fetch(`${graph(io)}${path}`, { ...init, signal }), timeoutMs);
}

export function remove(io: NetworkIO, token: string, path: string): Promise<Answer> {
  const init = { method: "DELETE", headers: { authorization: `Bearer ${token}` } };
  return ask((signal) => io.fetch(`${graph(io)}${path}`, { ...init, signal }), CALL_TIMEOUT_MS);
}

/** The body of a success; undefined for any other answer, and for a 200 with an unexpected body. */
export function readSuccess<Body>(answer: Answer, body: z.ZodType<Body>): Body | undefined {
  return answer.is === "answer" && answer.status === 200 ? body.safeParse(answer.body).data : undefined;
}

/** Parses an instant. Facebook writes offsets without a colon: 2026-11-20T10:00:00+0000. NaN if it is invalid. */
export function parseInstant(text: string): number {
  return Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, "$1:$2"));
}
