// Captions of a live video: captions.insert, 400 units a call, and captions.list, 50 units; discovery revision 20260427, read
// 2026-11-27; the names of the errors are from memory. Both need the same scope as a takedown: MANAGE in rule.ts.
// A video has one track for each language and name, so a file that was sent before is refused and counts as added.
import * as z from "zod";
import type { Added } from "../../domain/delivery/outcome.ts";
import type { CaptionsFile } from "../media-file.ts";
import type { Addition, ConnectorContext } from "../network.ts";
import { type Answer, readResult, unknown } from "../shared/http-call.ts";
import { API, call, UPLOAD_API } from "./api.ts";
import { harmless, missing, notMade, readRejection, says } from "./errors.ts";
import type { Credential, PublishKey } from "./rule.ts";
import { isGoogle } from "./upload.ts";

const UPLOAD_TIMEOUT_MS = 120_000;
const EXISTS = "captionExists";
/** The tracks that an owner or an app added; YouTube's own recognition has another kind. */
const OWN_KIND = "standard";

const Tracks = z.object({
  items: z
    .array(z.object({ snippet: z.object({ language: z.string(), trackKind: z.string().optional() }) }))
    .default([]),
});

export const captions: Addition<Credential, PublishKey> = {
  async add({ id: videoId }, { captions: files = [] }, context) {
    for (const file of files) {
      const outcome = await insert(videoId, file, context);
      if (outcome.is !== "added") return outcome;
    }
    return { is: "added" };
  },
  async isThere({ id: videoId }, { captions: files = [] }, context) {
    const answer = await call(context, `${API}/captions?${new URLSearchParams({ part: "snippet", videoId })}`);
    const tracks = readResult(answer, Tracks)?.items;
    if (tracks === undefined)
      return missing(answer) ?? readRejection(answer, context.io.now()) ?? unknown(answer, context.io.now());
    const shown = tracks
      .filter(({ snippet: { trackKind = OWN_KIND } }) => trackKind.toLowerCase() === OWN_KIND)
      .map(({ snippet }) => snippet.language.toLowerCase());
    return files.every(({ lang }) => shown.includes(lang.toLowerCase()))
      ? { is: "added" }
      : { is: "not_found", detail: "the video does not show all captions" };
  },
};

/** Adds one file: a resumable session, which adds nothing, and then its bytes in one call. */
async function insert(
  videoId: string,
  { lang: language, file }: CaptionsFile,
  context: ConnectorContext<Credential>,
): Promise<Added> {
  const target = new URLSearchParams({ uploadType: "resumable", part: "snippet" });
  const started = await call(context, `${UPLOAD_API}/captions?${target}`, {
    method: "POST",
    headers: {
      "content-type": "application/json; charset=UTF-8",
      "x-upload-content-length": String(file.bytes),
      "x-upload-content-type": file.contentType,
    },
    body: JSON.stringify({ snippet: { videoId, language, name: "" } }),
  });
  if (says(started, EXISTS)) return { is: "added" };
  const session = started.is === "answer" && started.status === 200 ? started.headers.get("location") : null;
  if (session === null || !isGoogle(session)) return refused(started, file.id) ?? harmless(started, context.io.now());
  const headers = { "content-type": file.contentType, "content-length": String(file.bytes) };
  const init = { method: "PUT", headers, body: context.io.sized(await file.open(), file.bytes) };
  const answer = await call(context, session, init, UPLOAD_TIMEOUT_MS);
  if (says(answer, EXISTS) || readResult(answer, z.object({ id: z.string().min(1) })) !== undefined)
    return { is: "added" };
  return refused(answer, file.id) ?? notMade(answer, context.io.now());
}

function refused(answer: Answer, fileId: string): Added | null {
  const isOfFile = ["invalidMetadata", "contentRequired", "nameTooLong"].some((reason) => says(answer, reason));
  return isOfFile ? { is: "rejected", error: "media_refused", detail: `the captions (${fileId})` } : missing(answer);
}
