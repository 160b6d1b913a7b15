// A post that was typed, on its way: checked as a whole, its files uploaded, made once, and followed to its end.
import { randomUUID } from "node:crypto";
import type { Answer, Body, Client } from "./api/client.ts";
import type { Channel } from "./channel.ts";
import type { Shell } from "./command.ts";
import { EXIT, Failure, Refused } from "./failure.ts";
import { type LocalFile, previewOf } from "./files.ts";
import { writePost, writeWarnings } from "./output/show-post.ts";
import type { Memory } from "./remembered.ts";
import { writeJson } from "./session.ts";
import { exitCodeOf, waitFor } from "./wait.ts";

type Post = Answer<"posts.get">;
export type DryRun = Extract<Answer<"posts.create">, { dry_run: true }>;

/** A post that was read from a command line. */
export interface Plan {
  body: Body<"posts.create">;
  files: LocalFile[];
  channels: Channel[];
  timezone: string;
  key: string;
  /** Of a key that was given; one of our own is not used again. */
  memory: Memory | null;
  asJson: boolean;
  /** How long it is followed, in milliseconds; null: it is not. */
  wait: number | null;
}

/** The dry run: all rules, with the files that are not uploaded yet. */
export async function check(client: Client, { body, files }: Plan): Promise<DryRun> {
  const preview = files.length === 0 ? {} : { media_preview: files.map(previewOf) };
  const answer = await client.call("posts.create", {
    body: { ...body, dry_run: true, ...preview },
    idempotencyKey: randomUUID(),
  });
  if ("dry_run" in answer.body) return answer.body;
  throw new Failure(EXIT.unexpected, "The service made a post of a dry run.");
}

/** Uploads what is not `recalled`, makes the post, and follows it if that was asked for. Settles with the exit code. */
export async function publish(client: Client, plan: Plan, recalled: string[] | null, shell: Shell): Promise<number> {
  const { body, files, channels, key, memory, asJson } = plan;
  const { out, err, signal } = shell;
  // Loaded with the first file: it brings Node's clients of HTTP with it.
  const media = recalled ?? (await (await import("./api/upload.ts")).uploadAll(client, files, err, signal));
  if (recalled === null) await memory?.keep(files, media);
  const whole = media.length === 0 ? body : { ...body, media };
  let created: Post;
  let isReplay: boolean;
  try {
    const answer = await client.call("posts.create", { body: whole, idempotencyKey: key });
    if ("dry_run" in answer.body) throw new Failure(EXIT.unexpected, "The service took a post for a dry run.");
    created = answer.body;
    isReplay = answer.headers.get("idempotent-replayed") === "true";
  } catch (error) {
    if (error instanceof Refused) {
      if (recalled === null) await (await import("./api/upload.ts")).discard(client, media);
      if (recalled === null || error.body.error === "unknown_media") await memory?.forget();
    } else {
      err.line(`It is not known whether the post was made (idempotency key ${key}): look with crier status.`);
    }
    throw error;
  }
  writeWarnings(err, created.warnings, channels);
  if (isReplay) err.line("This idempotency key made this post before; nothing new was published.");
  const wait = created.status === "draft" ? null : plan.wait;
  const last = wait === null ? created : await waitFor(client, created, channels, { err, signal, waitMs: wait });
  if (asJson) writeJson(out, last);
  else {
    writePost(out, last, channels, client.now());
    if (wait === null && created.status !== "draft")
      err.line(err.paint("dim", `How it goes: crier status ${created.id}`));
  }
  return wait === null ? EXIT.done : exitCodeOf(last);
}
