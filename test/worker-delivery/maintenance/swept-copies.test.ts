// Converted copies of files: gone from the bucket and from the count with their file, whatever became of the posts that used them.
import { expect, it } from "vitest";
import { makePng } from "../../../scripts/local/png.ts";
import { testEnv } from "../../support/env.ts";
import { type Account, call, connect, finished, type PostBody, signUp, upload } from "../../support/world.ts";
import { DAY_MS, file, pass, staged, sweep, withoutSweeper } from "./swept-files.ts";

withoutSweeper();

const NEXT_WEEK = () => new Date(Date.now() + 7 * DAY_MS).toISOString();
const copies = async ({ workspace }: Account) =>
  (await testEnv.MEDIA?.list({ prefix: `m/${workspace}/converted/` }))?.objects.length;

/** A post whose file has more pixels than Telegram takes, and its copy. */
async function adapted(publishAt: string | null) {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  const image = await upload(account, new Uint8Array(makePng(9_000, 2_000, 5)), "image/png");
  const body = { text: "x", channels: [channel.id], media: [image.id], media_fit: "adapt", publish_at: publishAt };
  const { status, body: post } = await call<PostBody>("POST", "/v1/posts", { token: account.key, body });
  expect(status).toBe(201);
  expect(await copies(account)).toBe(1);
  expect(await staged(account)).toBeGreaterThan(image.bytes);
  return { account, image, post };
}

/** Lets the time of a file pass, and the sweeper do its work. */
async function expire({ account, image }: Awaited<ReturnType<typeof adapted>>): Promise<void> {
  const { expires_at: expiresAt } = await file(account, image.id);
  expect(expiresAt).not.toBeNull();
  await pass(image.id, Date.parse(expiresAt ?? "") - Date.now() + DAY_MS);
  await sweep();
  await testEnv.DB.prepare("UPDATE discarded_objects SET next_at = next_at - ? WHERE workspace_id = ?")
    .bind(2 * DAY_MS, account.workspace)
    .run();
  await sweep();
}

async function expectNothingLeft({ account, image }: Awaited<ReturnType<typeof adapted>>): Promise<void> {
  expect(await file(account, image.id)).toMatchObject({ state: "expired" });
  expect(await copies(account)).toBe(0);
  expect(await staged(account)).toBe(0);
  for (const table of ["media_copies", "discarded_objects"]) {
    const sql = `SELECT COUNT(*) AS n FROM ${table} WHERE workspace_id = ?`;
    expect(await testEnv.DB.prepare(sql).bind(account.workspace).first("n"), table).toBe(0);
  }
}

it("the copy of a published post goes with its file", async () => {
  const made = await adapted(null);
  expect((await finished(made.account.key, made.post.id)).status).toBe("published");
  await expire(made);
  await expectNothingLeft(made);
});

it("the copy of a post that is cancelled before it is due goes with its file", async () => {
  const made = await adapted(NEXT_WEEK());
  const { account, post } = made;
  expect((await call("DELETE", `/v1/posts/${post.id}`, { token: account.key })).status).toBeLessThan(300);
  expect(await copies(account)).toBe(1);
  await expire(made);
  await expectNothingLeft(made);
});

it("the copy of a scheduled post stays while the post waits", async () => {
  const made = await adapted(NEXT_WEEK());
  await pass(made.image.id, 2 * DAY_MS);
  await sweep();
  await sweep();
  expect(await copies(made.account)).toBe(1);
  expect(await staged(made.account)).toBeGreaterThan(made.image.bytes);
});
