// Calls of the Data API with the channel's access token.
import type { Work } from "../network.ts";
import { type Answer, ask, CALL_TIMEOUT_MS } from "../shared/http-call.ts";
import type { Credential } from "./rule.ts";

export const API = "https://www.googleapis.com/youtube/v3";
export const UPLOAD_API = "https://www.googleapis.com/upload/youtube/v3";

export function call(
  { credential, wire }: { credential: Pick<Credential, "access_token">; wire: Work<Credential>["wire"] },
  url: string,
  init: RequestInit = {},
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<Answer> {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${credential.access_token}`);
  return ask((signal) => wire.fetch(url, { ...init, headers, signal }), timeoutMs);
}
