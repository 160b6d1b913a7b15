// The alt text of a file is sent with each post of the file, so it has to fit the networks of scheduled posts.
import { expect, it } from "vitest";
import { type Account, type ChannelBody, call, connect, post, signUp, uploadJpeg } from "../support/world.ts";

const publish_at = new Date(Date.now() + 86_400_000).toISOString();
const setAlt = ({ key }: Account, id: string, alt: string | null) =>
  call("PATCH", `/v1/media/${id}`, { token: key, body: { alt } });

/** Uploads a file and schedules a post with it on these channels. */
async function scheduleWithFile(account: Account, channels: ChannelBody[], fields: object = {}) {
  const file = await uploadJpeg(account, { width: 400, height: 400 });
  const body = { text: "later", media: [file.id], channels: channels.map(({ id }) => id), publish_at, ...fields };
  return { file, post: await post(account.key, body) };
}

it("an alt text that is too long for a network of a scheduled post is rejected with all violations", async () => {
  const account = await signUp();
  const [x, threads, bluesky] = [
    await connect(account.key, "x"),
    await connect(account.key, "threads"),
    await connect(account.key, "bluesky"),
  ];
  const { file, post: later } = await scheduleWithFile(account, [x, threads, bluesky]);
  const refused = await setAlt(account, file.id, "a".repeat(1_001));
  expect(refused).toMatchObject({ status: 422, body: { error: "alt_too_long", field: "/alt" } });
  const { violations } = refused.body as { violations: Record<string, unknown>[] };
  expect(violations.map(({ channel }) => channel).sort()).toEqual([x.id, threads.id].sort());
  for (const violation of violations)
    expect(violation).toMatchObject({ code: "alt_too_long", limit: 1_000, actual: 1_001, over_by: 1 });
  expect(String(refused.body.hint)).toContain(later.id);
  expect((await call("GET", `/v1/media/${file.id}`, { token: account.key })).body.alt).toBeNull();
  expect((await setAlt(account, file.id, "a".repeat(1_000))).status).toBe(200);
  expect((await setAlt(account, file.id, null)).status).toBe(200);
});

it("an alt text is limited only by networks that will get the file together with its alt text", async () => {
  const account = await signUp();
  const [x, bluesky, telegram] = [
    await connect(account.key, "x"),
    await connect(account.key, "bluesky"),
    await connect(account.key, "telegram"),
  ];
  const long = "a".repeat(1_001);
  const overridingFile = await uploadJpeg(account);
  const overridden = await scheduleWithFile(account, [bluesky, x, telegram], {
    overrides: { [x.id]: { media: [overridingFile.id] } },
  });
  expect((await setAlt(account, overridden.file.id, long)).status).toBe(200);
  expect((await setAlt(account, overridingFile.id, long)).status).toBe(422);
  const stopped = await scheduleWithFile(account, [x]);
  expect((await setAlt(account, stopped.file.id, long)).status).toBe(422);
  await call("DELETE", `/v1/posts/${stopped.post.id}`, { token: account.key });
  expect((await setAlt(account, stopped.file.id, long)).status).toBe(200);
  const draft = await scheduleWithFile(account, [x], { draft: true });
  expect((await setAlt(account, draft.file.id, long)).status).toBe(200);
  const release = await call("PATCH", `/v1/posts/${draft.post.id}`, { token: account.key, body: { draft: false } });
  expect(release).toMatchObject({ status: 422, body: { error: "alt_too_long" } });
});

it("the alt text of another workspace's file cannot be set", async () => {
  const account = await signUp();
  const { file } = await scheduleWithFile(account, [await connect(account.key, "x")]);
  expect((await setAlt(await signUp(), file.id, "a".repeat(1_001))).status).toBe(404);
});
