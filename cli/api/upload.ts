// Uploads files from disk to the bucket, each with a progress bar.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Put, REASON_BYTES_MAX, readPutAnswer } from "../../src/client/put.ts";
import { discard, uploadAll as uploadInOrder } from "../../src/client/upload.ts";
import { EXIT, Failure } from "../failure.ts";
import type { LocalFile } from "../files.ts";
import { spanText } from "../output/format.ts";
import { startProgress } from "../output/progress.ts";
import type { Output } from "../output/terminal.ts";
import { asFailure, type Client, connectionTrouble } from "./client.ts";

export { discard };

/** A connection without progress is closed after this time. */
const STALL_MS = 60_000;
/** Bytes per read: large enough to be fast, small enough for memory. */
const CHUNK_BYTES = 256 * 1024;

/** Uploads files in order and returns their media ids. On any failure, no media is left at the service. */
export async function uploadAll(
  client: Client,
  files: LocalFile[],
  err: Output,
  signal: AbortSignal,
): Promise<string[]> {
  const withBar = (file: LocalFile) => {
    const bar = startProgress(err, file.name, file.bytes);
    return {
      sent: (bytes: number) => bar.at(bytes),
      again: (reason: string, waitMs: number) => bar.note(`${file.name}: ${reason}. Retrying in ${spanText(waitMs)}.`),
      arrived: () => bar.end(),
    };
  };
  try {
    return await uploadInOrder(client, files, { put: putFile, progressOf: withBar });
  } catch (error) {
    throw asFailure(error, signal);
  }
}

const putFile: Put<LocalFile> = async (file, { upload_url, headers }, { range, sent, signal }) => {
  const stop = new AbortController();
  const request = (upload_url.startsWith("https:") ? httpsRequest : httpRequest)(upload_url, {
    method: "PUT",
    headers,
    signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]),
  });
  request.setTimeout(STALL_MS, () => request.destroy(new Error("no progress for a minute")));
  const answered = new Promise<{ status: number; etag: string | null; text: string }>((resolve, reject) => {
    request.once("error", reject);
    request.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      const { statusCode: status = 0, headers: answerHeaders } = response;
      const end = () => resolve({ status, etag: answerHeaders.etag ?? null, text });
      response.on("data", (chunk: string) => {
        text += chunk;
        if (text.length < REASON_BYTES_MAX) return;
        end();
        response.destroy();
      });
      response.on("end", end);
      response.on("error", end);
    });
  });
  let sentBytes = 0;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      sentBytes += chunk.byteLength;
      sent(sentBytes);
      callback(null, chunk);
    },
    flush(callback) {
      callback(sentBytes === range.length ? null : new Changed());
    },
  });
  const source = createReadStream(file.path, {
    start: range.offset,
    end: range.offset + range.length - 1,
    highWaterMark: CHUNK_BYTES,
  });
  const sending = pipeline(source, counting, request);
  // An answer may arrive before the last byte is sent, which aborts the upload.
  sending.catch(() => {});
  try {
    const { status, etag, text } = await Promise.race([answered, sending.then(() => answered)]);
    const result = readPutAnswer(status, etag, text);
    if (!("etag" in result)) stop.abort();
    else if ((await stat(file.path)).mtimeMs !== file.modifiedAt) throw new Changed();
    return result;
  } catch (error) {
    stop.abort();
    // If an upload breaks off, the file's error says more than the connection's.
    const failure =
      error instanceof Changed
        ? error
        : await sending.then(
            () => error,
            (broken: unknown) => broken,
          );
    if (failure instanceof Changed || (failure instanceof Error && "path" in failure)) {
      throw new Failure(EXIT.unexpected, `${file.path} changed while it was being uploaded.`, "run the command again");
    }
    return { message: connectionTrouble(error), status: null, passes: true };
  }
};

class Changed extends Error {}
