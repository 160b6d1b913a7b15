// A video is registered, uploaded whole to storage, and processed before a pin can name it. All of it may be repeated.
import * as z from "zod";
import type { MediaFile } from "../media-file.ts";
import type { ConnectorContext } from "../network.ts";
import { ask, readResult } from "../shared/http-call.ts";
import { makeBoundary, multipart, type Part } from "../shared/multipart.ts";
import { call } from "./api.ts";
import { readProblem, type Trouble } from "./errors.ts";
import type { Credential } from "./rule.ts";

/** One POST carries the whole file. */
const UPLOAD_TIMEOUT_MS = 4 * 60_000;
const POLL_MS = 5_000;

const Registered = z.object({
  media_id: z.string(),
  upload_url: z.url(),
  upload_parameters: z.record(z.string(), z.string()),
});
const Status = z.object({ status: z.enum(["registered", "processing", "succeeded", "failed"]) });

/** Uploads the file and returns its media id. */
export async function uploadVideo(
  file: MediaFile,
  { credential, io }: ConnectorContext<Credential>,
): Promise<string | Trouble> {
  const answer = await call(io, credential.access_token, "POST", "/media", { media_type: "video" });
  const registered = readResult(answer, Registered);
  if (registered === undefined) return readProblem(answer, io.now());
  const fields = Object.entries(registered.upload_parameters).map(([name, value]): Part => ({ name, value }));
  const { contentType, bytes } = file;
  // The file comes last: storage ignores what follows it.
  const filePart: Part = {
    name: "file",
    fileName: `file${file.position}`,
    contentType,
    bytes,
    open: () => file.open(),
  };
  const boundary = makeBoundary(io.random(16));
  const form = multipart([...fields, filePart], boundary);
  const uploaded = await ask(
    (signal) =>
      io.fetch(registered.upload_url, {
        method: "POST",
        headers: { "content-type": form.contentType, "content-length": String(form.bytes) },
        body: io.sized(form.pieces(), form.bytes),
        signal,
      }),
    UPLOAD_TIMEOUT_MS,
  );
  if (uploaded.is === "answer" && uploaded.status >= 200 && uploaded.status < 300) return registered.media_id;
  return { is: "retryable", error: "network_unavailable", detail: "the upload of the video was not accepted" };
}

/** Whether the video can be pinned by now; `again` if it must be uploaded again. */
export async function videoReady(
  mediaId: string,
  file: MediaFile,
  context: ConnectorContext<Credential>,
): Promise<"ready" | Trouble> {
  const { credential, io } = context;
  const answer = await call(io, credential.access_token, "GET", `/media/${mediaId}`);
  const status = readResult(answer, Status)?.status;
  if (status === undefined) return readProblem(answer, io.now());
  if (status === "succeeded") return "ready";
  if (status === "failed") {
    const detail = `the network could not use file ${file.position + 1} (${file.id})`;
    return { is: "rejected", error: "media_refused", detail };
  }
  return {
    is: "retryable",
    error: "network_unavailable",
    detail: "the network is processing the video",
    retryAt: io.now() + POLL_MS,
  };
}
