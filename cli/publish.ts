// Publishes a post from the command line: validates it, uploads its files, creates it once, and follows it to its end.
import { randomUUID } from "node:crypto";
import type { Answer, Body, Client } from "./api/client.ts";
import type { Channel } from "./channel.ts";
import type { Shell } from "./command.ts";
import { EXIT, Failure, Refused } from "./failure.ts";
import { type LocalFile, toPreview } from "./files.ts";
import { writePost, writeWarnings } from "./output/show-post.ts";
import type { Memory } from "./remembered.ts";
import { writeJson } from "./session.ts";
import { getExitCode, waitFor } from "./wait.ts";

type Post = Answer<"posts.get">;
export type DryRun = Extract<Answer<"posts.create">, { dry_run: true }>;

/** A post read from a command line. */
export interface Plan {
  body: Body<"posts.create">;
  files: LocalFile[];
  channels: Channel[];
  timezone: string;
  key: string;
  /** The memory of the user's idempotency key. A generated key is never reused, so it has none. */
  memory: Memory | null;
  asJson: boolean;
  /** How long to follow the post, in milliseconds; null: do not follow it. */
  wait: number | null;
}

/** The dry run: checks all rules, including those for files that are not uploaded yet. */
export async function check(client: Client, { body, files }: Plan): Promise<DryRun> {
  const preview = files.length === 0 ? {} : { media_preview: files.map(toPreview) };
  const answer = await client.call("posts.create", {
    body: { ...body, dry_run: true, ...preview },
    idempotencyKey: randomUUID(),
  });
  if ("dry_run" in answer.body) return answer.body;
  throw new Failure(EXIT.unexpected, "The service created a post although a dry run was requested.");
}

/**
 * Uploads the files unless their media ids are `recalled`, creates the post, and follows it if requested. Resolves with the
 * exit code.
 */
export async function publish(client: Client, plan: Plan, recalled: string[] | null, shell: Shell): Promise<number> {
  const { body, files, channels, key, memory, asJson } = plan;
  const { out, err, signal } = shell;
  // Loaded with the first file, because it loads Node's HTTP clients.
  const media = recalled ?? (await (await import("./api/upload.ts")).uploadAll(client, files, err, signal));
  if (recalled === null) await memory?.keep(files, media);
  const whole = media.length === 0 ? body : { ...body, media };
  let created: Post;
  let isReplay: boolean;
  try {
    const answer = await client.call("posts.create", { body: whole, idempotencyKey: key });
    if ("dry_run" in answer.body) throw new Failure(EXIT.unexpected, "The service handled the post as a dry run.");
    created = answer.body;
    isReplay = answer.headers.get("idempotent-replayed") === "true";
  } catch (error) {
    if (error instanceof Refused) {
      if (recalled === null) await (await import("./api/upload.ts")).discard(client, media);
      if (recalled === null || error.body.error === "unknown_media") await memory?.forget();
    } else {
      err.line(`It is unknown whether the post was created (idempotency key ${key}). Check with crier status.`);
    }
    throw error;
  }
  writeWarnings(err, created.warnings, channels);
  if (isReplay) err.line("This idempotency key already created this post; nothing new was published.");
  const wait = created.status === "draft" ? null : plan.wait;
  const last = wait === null ? created : await waitFor(client, created, channels, { err, signal, waitMs: wait });
  if (asJson) writeJson(out, last);
  else {
    writePost(out, last, channels, client.now());
    if (wait === null && created.status !== "draft")
      err.line(err.paint("dim", `To check its progress: crier status ${created.id}`));
  }
  return wait === null ? EXIT.done : getExitCode(last);
}
