// Remembers the media that a run with the user's idempotency key uploaded. Repeating the command then makes the same call,
// and no second post.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { LocalFile } from "./files.ts";

export interface Memory {
  /** The media ids of the same files with the same alt texts; null if they are unknown. */
  recall(files: LocalFile[]): Promise<string[] | null>;
  /** A write failure is ignored: the service still refuses a second post under the key. */
  keep(files: LocalFile[], media: string[]): Promise<void>;
  forget(): Promise<void>;
}

/** How long the service remembers the key of a deleted post. */
const KEPT_MS = 30 * 86_400_000;

/** The memory of one idempotency key, in `$XDG_STATE_HOME/crier` or `~/.local/state/crier`. */
export function openMemory(env: NodeJS.ProcessEnv, url: string, idempotencyKey: string): Memory {
  const state = env.XDG_STATE_HOME?.startsWith("/") ? env.XDG_STATE_HOME : join(env.HOME ?? homedir(), ".local/state");
  const name = createHash("sha256").update(`${url}\n${idempotencyKey}`).digest("hex");
  const file = join(state, "crier/uploads", `${name}.json`);
  return {
    async recall(files) {
      const storedText = await readFile(file, "utf8").catch(() => null);
      if (storedText === null) return null;
      try {
        const { content, media } = JSON.parse(storedText);
        if (content !== (await hashFiles(files)) || !Array.isArray(media)) return null;
        return media.map(String);
      } catch {
        return null;
      }
    },
    async keep(files, media) {
      const folder = dirname(file);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(file, JSON.stringify({ content: await hashFiles(files), media }), { mode: 0o600 });
        await clear(folder);
      } catch {
        // The memory is only a convenience (see `Memory.keep`).
      }
    },
    forget: () => rm(file, { force: true }),
  };
}

/** A digest of the files' bytes and alt texts, in order. */
async function hashFiles(files: LocalFile[]): Promise<string> {
  const whole = createHash("sha256");
  for (const { path, contentType, alt } of files) {
    const fileHash = createHash("sha256");
    await pipeline(createReadStream(path, { highWaterMark: 256 * 1024 }), fileHash);
    whole.update(JSON.stringify([fileHash.digest("hex"), contentType, alt]));
  }
  return whole.digest("hex");
}

async function clear(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const old = join(folder, name);
    if (Date.now() - (await stat(old)).mtimeMs > KEPT_MS) await rm(old, { force: true });
  }
}
