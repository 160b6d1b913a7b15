// Files on their way to the bucket: each with a bar, again after a broken connection, and nothing left behind when it fails.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { EXIT, Failure, interrupted, unreachable } from "../failure.ts";
import type { LocalFile } from "../files.ts";
import { spanText } from "../output/format.ts";
import { type Progress, progressOf } from "../output/progress.ts";
import type { Output } from "../output/terminal.ts";
import { type Answer, type Client, connectionTrouble, sleep } from "./client.ts";

type Upload = Answer<"media.request-upload">;

/** Waits before a file is sent again. */
const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 20_000];
/** A connection on which nothing moves for so long is given up. */
const STALL_MS = 60_000;
/** An address that is about to end is not begun with. */
const EXPIRY_MARGIN_MS = 30_000;
const CLEANUP_MS = 5_000;
/** Read at a time: large enough to be fast, small enough to be nothing. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Uploads files in their order and returns their media ids. All addresses are asked for before the first byte goes out, so
 * that a refusal costs none. Whatever ends it early, the files of it that are at the service already are deleted.
 */
export async function uploadAll(
  client: Client,
  files: LocalFile[],
  err: Output,
  signal: AbortSignal,
  pause: typeof sleep = sleep,
): Promise<string[]> {
  const uploads: Upload[] = [];
  const begun: string[] = [];
  const ask = async (file: LocalFile) => {
    const { contentType: content_type, bytes, alt } = file;
    const { body } = await client.call("media.request-upload", {
      body: { content_type, bytes, alt: alt ?? undefined },
    });
    begun.push(body.media.id);
    return body;
  };
  try {
    for (const file of files) uploads.push(await ask(file));
    for (const [i, file] of files.entries()) {
      const progress = progressOf(err, file.name, file.bytes);
      let upload = uploads[i] ?? (await ask(file));
      const again = async () => {
        upload = await ask(file);
        uploads[i] = upload;
        return upload;
      };
      await send(client, file, upload, again, progress, signal, pause);
    }
    const wanted = uploads.map(({ media }) => media.id);
    await discard(
      client,
      begun.filter((id) => !wanted.includes(id)),
    );
    return wanted;
  } catch (error) {
    await discard(client, begun);
    throw signal.aborted ? interrupted() : error;
  }
}

/** Deletes media that no post uses; what cannot be deleted now expires by itself. Also after Ctrl-C. */
export async function discard(client: Client, ids: string[]): Promise<void> {
  const signal = AbortSignal.timeout(CLEANUP_MS);
  await Promise.allSettled(ids.map((id) => client.call("media.remove", { id, only: signal })));
}

/** Sends a file until it has arrived. */
async function send(
  client: Client,
  file: LocalFile,
  first: Upload,
  another: () => Promise<Upload>,
  progress: Progress,
  signal: AbortSignal,
  pause: typeof sleep,
): Promise<void> {
  const waits = [...WAITS_MS];
  let upload = first;
  let renewed = false;
  for (;;) {
    if (Date.parse(upload.expires_at) - EXPIRY_MARGIN_MS < client.now()) upload = await another();
    const trouble = await put(file, upload, progress, signal);
    if (trouble === null) {
      progress.end();
      return;
    }
    if (signal.aborted) throw interrupted();
    // A signed address is refused when it has ended, or when it was never good: the second time says which.
    if (trouble.status === 403 && !renewed) {
      renewed = true;
      upload = await another();
      continue;
    }
    const wait = trouble.passes ? waits.shift() : undefined;
    if (wait === undefined) throw unreachable(`${file.name} could not be uploaded: ${trouble.words}.`, "crier doctor");
    progress.note(`${file.name}: ${trouble.words}. Sent again in ${spanText(wait)}.`);
    await pause(wait, signal);
  }
}

interface Trouble {
  words: string;
  status: number | null;
  /** Whether another try may help. */
  passes: boolean;
}

/** One PUT with exactly the headers that were signed. null: it has arrived. */
async function put(
  file: LocalFile,
  { upload_url, headers }: Upload,
  progress: Progress,
  signal: AbortSignal,
): Promise<Trouble | null> {
  const stop = new AbortController();
  const request = (upload_url.startsWith("https:") ? httpsRequest : httpRequest)(upload_url, {
    method: "PUT",
    headers,
    signal: AbortSignal.any([signal, stop.signal]),
  });
  request.setTimeout(STALL_MS, () => request.destroy(new Error("nothing moved for a minute")));
  const answered = new Promise<{ status: number; text: string }>((settle, fail) => {
    request.once("error", fail);
    request.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        if (text.length < 2_000) text += part;
      });
      response.on("end", () => settle({ status: response.statusCode ?? 0, text }));
      response.on("error", () => settle({ status: response.statusCode ?? 0, text }));
    });
  });
  let sent = 0;
  progress.at(0);
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sent += chunk.byteLength;
      progress.at(sent);
      done(null, chunk);
    },
    flush(done) {
      done(sent === file.bytes ? null : new Changed());
    },
  });
  const source = createReadStream(file.path, { end: file.bytes - 1, highWaterMark: CHUNK_BYTES });
  const sending = pipeline(source, counting, request);
  // An answer may come before the last byte is out, and breaks the sending off.
  sending.catch(() => {});
  try {
    const outcome = await Promise.race([answered, sending.then(() => answered)]);
    if (outcome.status >= 200 && outcome.status < 300) {
      if ((await stat(file.path)).mtimeMs !== file.modifiedAt) throw new Changed();
      return null;
    }
    stop.abort();
    const { status } = outcome;
    const reason = /<Message>([^<]{1,200})<\/Message>/.exec(outcome.text)?.[1];
    const passes = status >= 500 || status === 429 || status === 408;
    return { words: `the bucket answered ${status}${reason === undefined ? "" : ` (${reason})`}`, status, passes };
  } catch (error) {
    stop.abort();
    // Of the two ends of a sending that broke off, the file's says more.
    const found =
      error instanceof Changed
        ? error
        : await sending.then(
            () => error,
            (broken: unknown) => broken,
          );
    if (found instanceof Changed || (found instanceof Error && "path" in found)) {
      throw new Failure(EXIT.unexpected, `${file.path} changed while it was being uploaded.`, "run the command again");
    }
    return { words: connectionTrouble(error), status: null, passes: true };
  }
}

class Changed extends Error {}
