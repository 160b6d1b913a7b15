// Files, and the sweep that clears them away.
import { runInDurableObject } from "cloudflare:test";
import { afterAll, beforeAll } from "vitest";
import type * as z from "zod";
import { compose } from "../../../src/compose.ts";
import type { Media } from "../../../src/contract/media.ts";
import { SWEEPER } from "../../../src/env.ts";
import { deleteDiscardedObjects, expireMedia, settleUploads } from "../../../src/maintenance/expire-media.ts";
import { testEnv } from "../../support/env.ts";
import { type Account, call } from "../../support/world.ts";

// Only these tests sweep while they run.
const sweeper = () => testEnv.SWEEPER.getByName(SWEEPER);
/** Lets the sweeper rest while the file that calls it runs. */
export function withoutSweeper(): void {
  beforeAll(async () => {
    // The first request of an isolate starts the sweeper.
    await call("GET", "/healthz");
    await runInDurableObject(sweeper(), (_, state) => state.storage.deleteAlarm());
  });
  afterAll(() => sweeper().ensure());
}

export const DAY_MS = 86_400_000;
export async function sweep(env = testEnv): Promise<void> {
  const ctx = compose(env, () => {});
  await settleUploads(ctx, ctx.accounts);
  await expireMedia(ctx, ctx.accounts);
  await deleteDiscardedObjects(ctx, ctx.accounts);
}

export const file = async ({ key }: Account, id: string) =>
  (await call<z.output<typeof Media>>("GET", `/v1/media/${id}`, { token: key })).body;
export const stored = async ({ workspace }: Account, id: string) =>
  (await testEnv.MEDIA?.head(`m/${workspace}/${id}`)) !== null;
export const staged = async ({ key }: Account) =>
  (await call<{ media_bytes: { used: number } }>("GET", "/v1/usage", { token: key })).body.media_bytes.used;

/** Lets `ms` pass for a file and the posts that used it. */
export async function pass(mediaId: string, ms: number): Promise<void> {
  const { DB } = testEnv;
  await DB.batch([
    DB.prepare("UPDATE media SET expires_at = expires_at - ?1, created_at = created_at - ?1 WHERE id = ?2").bind(
      ms,
      mediaId,
    ),
    DB.prepare("UPDATE media_uses SET finished_at = finished_at - ?1 WHERE media_id = ?2").bind(ms, mediaId),
  ]);
}
