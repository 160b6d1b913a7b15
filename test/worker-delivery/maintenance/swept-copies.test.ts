// Converted copies of files are deleted from the bucket, and no longer counted, together with their file. This does not
// depend on the posts that used them.
import { expect, it } from "vitest";
import { makePng } from "../../../scripts/local/png.ts";
import { testEnv } from "../../support/env.ts";
import { type Account, call, connect, finished, type PostBody, signUp, upload } from "../../support/world.ts";
import { DAY_MS, getFile, getStagedBytes, passTime, sweep, withoutSweeper } from "./swept-files.ts";

withoutSweeper();

const getNextWeek = () => new Date(Date.now() + 7 * DAY_MS).toISOString();
const countCopies = async ({ workspace }: Account) =>
  (await testEnv.MEDIA?.list({ prefix: `m/${workspace}/converted/` }))?.objects.length;

/** A post whose file has more pixels than Telegram accepts, and the converted copy. */
async function createAdaptedPost(publishAt: string | null) {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  const image = await upload(account, new Uint8Array(makePng(9_000, 2_000, 5)), "image/png");
  const body = { text: "x", channels: [channel.id], media: [image.id], media_fit: "adapt", publish_at: publishAt };
  const { status, body: post } = await call<PostBody>("POST", "/v1/posts", { token: account.key, body });
  expect(status).toBe(201);
  expect(await countCopies(account)).toBe(1);
  expect(await getStagedBytes(account)).toBeGreaterThan(image.bytes);
  return { account, image, post };
}

/** Lets a file expire, and runs the sweep. */
async function expire({ account, image }: Awaited<ReturnType<typeof createAdaptedPost>>): Promise<void> {
  const { expires_at: expiresAt } = await getFile(account, image.id);
  expect(expiresAt).not.toBeNull();
  await passTime(image.id, Date.parse(expiresAt ?? "") - Date.now() + DAY_MS);
  await sweep();
  await testEnv.DB.prepare("UPDATE discarded_objects SET next_at = next_at - ? WHERE workspace_id = ?")
    .bind(2 * DAY_MS, account.workspace)
    .run();
  await sweep();
}

async function expectNothingLeft({ account, image }: Awaited<ReturnType<typeof createAdaptedPost>>): Promise<void> {
  expect(await getFile(account, image.id)).toMatchObject({ state: "expired" });
  expect(await countCopies(account)).toBe(0);
  expect(await getStagedBytes(account)).toBe(0);
  for (const table of ["media_copies", "discarded_objects"]) {
    const sql = `SELECT COUNT(*) AS n FROM ${table} WHERE workspace_id = ?`;
    expect(await testEnv.DB.prepare(sql).bind(account.workspace).first("n"), table).toBe(0);
  }
}

it("deletes the copy of a published post together with its file", async () => {
  const adapted = await createAdaptedPost(null);
  expect((await finished(adapted.account.key, adapted.post.id)).status).toBe("published");
  await expire(adapted);
  await expectNothingLeft(adapted);
});

it("deletes the copy of a post that was cancelled before its time together with its file", async () => {
  const adapted = await createAdaptedPost(getNextWeek());
  const { account, post } = adapted;
  expect((await call("DELETE", `/v1/posts/${post.id}`, { token: account.key })).status).toBeLessThan(300);
  expect(await countCopies(account)).toBe(1);
  await expire(adapted);
  await expectNothingLeft(adapted);
});

it("keeps the copy of a scheduled post while the post waits", async () => {
  const adapted = await createAdaptedPost(getNextWeek());
  await passTime(adapted.image.id, 2 * DAY_MS);
  await sweep();
  await sweep();
  expect(await countCopies(adapted.account)).toBe(1);
  expect(await getStagedBytes(adapted.account)).toBeGreaterThan(adapted.image.bytes);
});
