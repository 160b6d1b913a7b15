// The alt text of a file that scheduled posts name: they go out with it.
import { expect, it } from "vitest";
import { type Account, type ChannelBody, call, connect, post, signUp, uploadJpeg } from "../support/world.ts";

const publish_at = new Date(Date.now() + 86_400_000).toISOString();
const describe = ({ key }: Account, id: string, alt: string | null) =>
  call("PATCH", `/v1/media/${id}`, { token: key, body: { alt } });

/** A file on a scheduled post for these channels. */
async function scheduled(account: Account, channels: ChannelBody[], more: object = {}) {
  const file = await uploadJpeg(account, { width: 400, height: 400 });
  const body = { text: "later", media: [file.id], channels: channels.map(({ id }) => id), publish_at, ...more };
  return { file, post: await post(account.key, body) };
}

it("is refused when it is longer than one of their networks takes, with all that it breaks", async () => {
  const account = await signUp();
  const [x, threads, bluesky] = [
    await connect(account.key, "x"),
    await connect(account.key, "threads"),
    await connect(account.key, "bluesky"),
  ];
  const { file, post: later } = await scheduled(account, [x, threads, bluesky]);
  const refused = await describe(account, file.id, "a".repeat(1_001));
  expect(refused).toMatchObject({ status: 422, body: { error: "alt_too_long", field: "/alt" } });
  const { violations } = refused.body as { violations: Record<string, unknown>[] };
  expect(violations.map(({ channel }) => channel).sort()).toEqual([x.id, threads.id].sort());
  for (const violation of violations)
    expect(violation).toMatchObject({ code: "alt_too_long", limit: 1_000, actual: 1_001, over_by: 1 });
  expect(String(refused.body.hint)).toContain(later.id);
  expect((await call("GET", `/v1/media/${file.id}`, { token: account.key })).body.alt).toBeNull();
  expect((await describe(account, file.id, "a".repeat(1_000))).status).toBe(200);
  expect((await describe(account, file.id, null)).status).toBe(200);
});

it("is free where the file does not go out, or the network takes no words", async () => {
  const account = await signUp();
  const [x, bluesky, telegram] = [
    await connect(account.key, "x"),
    await connect(account.key, "bluesky"),
    await connect(account.key, "telegram"),
  ];
  const long = "a".repeat(1_001);
  const other = await uploadJpeg(account);
  const elsewhere = await scheduled(account, [bluesky, x, telegram], { overrides: { [x.id]: { media: [other.id] } } });
  expect((await describe(account, elsewhere.file.id, long)).status).toBe(200);
  expect((await describe(account, other.id, long)).status).toBe(422);
  const stopped = await scheduled(account, [x]);
  expect((await describe(account, stopped.file.id, long)).status).toBe(422);
  await call("DELETE", `/v1/posts/${stopped.post.id}`, { token: account.key });
  expect((await describe(account, stopped.file.id, long)).status).toBe(200);
  const draft = await scheduled(account, [x], { draft: true });
  expect((await describe(account, draft.file.id, long)).status).toBe(200);
  const release = await call("PATCH", `/v1/posts/${draft.post.id}`, { token: account.key, body: { draft: false } });
  expect(release).toMatchObject({ status: 422, body: { error: "alt_too_long" } });
});

it("of another workspace's file is not found, whatever is scheduled", async () => {
  const account = await signUp();
  const { file } = await scheduled(account, [await connect(account.key, "x")]);
  expect((await describe(await signUp(), file.id, "a".repeat(1_001))).status).toBe(404);
});
