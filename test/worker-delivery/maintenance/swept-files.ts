// Reads files, and runs the sweep that expires them. The background sweeper is paused, so that only these tests sweep.
import { runInDurableObject } from "cloudflare:test";
import { afterAll, beforeAll } from "vitest";
import type * as z from "zod";
import { compose } from "../../../src/compose.ts";
import type { Media } from "../../../src/contract/media.ts";
import { SWEEPER } from "../../../src/env.ts";
import { deleteDiscardedObjects, expireMedia, recordUploads } from "../../../src/maintenance/expire-media.ts";
import { testEnv } from "../../support/env.ts";
import { type Account, call } from "../../support/world.ts";

// Only these tests sweep while they run.
const getSweeper = () => testEnv.SWEEPER.getByName(SWEEPER);
/** Pauses the background sweeper while the calling file runs. */
export function withoutSweeper(): void {
  beforeAll(async () => {
    // The first request of an isolate starts the sweeper.
    await call("GET", "/healthz");
    await runInDurableObject(getSweeper(), (_, state) => state.storage.deleteAlarm());
  });
  afterAll(() => getSweeper().ensure());
}

export const DAY_MS = 86_400_000;
export async function sweep(env = testEnv): Promise<void> {
  const ctx = compose(env, () => {});
  await recordUploads(ctx, ctx.accounts);
  await expireMedia(ctx, ctx.accounts);
  await deleteDiscardedObjects(ctx, ctx.accounts);
}

export const getFile = async ({ key }: Account, id: string) =>
  (await call<z.output<typeof Media>>("GET", `/v1/media/${id}`, { token: key })).body;
export const isStored = async ({ workspace }: Account, id: string) =>
  (await testEnv.MEDIA?.head(`m/${workspace}/${id}`)) !== null;
export const getStagedBytes = async ({ key }: Account) =>
  (await call<{ media_bytes: { used: number } }>("GET", "/v1/usage", { token: key })).body.media_bytes.used;

/** Moves a file, and the uses of it, `ms` into the past. */
export async function passTime(mediaId: string, ms: number): Promise<void> {
  const { DB } = testEnv;
  await DB.batch([
    DB.prepare("UPDATE media SET expires_at = expires_at - ?1, created_at = created_at - ?1 WHERE id = ?2").bind(
      ms,
      mediaId,
    ),
    DB.prepare("UPDATE media_uses SET finished_at = finished_at - ?1 WHERE media_id = ?2").bind(ms, mediaId),
  ]);
}
