// Series of repeating posts, whose next posts are made on request.
import { compose } from "../../src/compose.ts";
import { repeatPosts } from "../../src/operations/posts/repeat-posts.ts";
import { inDays } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { age } from "../support/lanes.ts";
import {
  type Account,
  type Answer,
  call,
  connect,
  finished,
  getPost,
  type PostBody,
  signUp,
} from "../support/world.ts";

export type PostAnswer = PostBody & { error?: string; violations?: { code: string; field: string }[] };
export const send = (method: string, path: string, key: string, body?: object): Promise<Answer<PostAnswer>> =>
  call<PostAnswer>(method, `/v1/posts${path}`, { token: key, ...(body === undefined ? {} : { body }) });
export const edit = (key: string, id: string, body: object) => send("PATCH", `/${id}`, key, body);
export const stopRepeat = (key: string, id: string) => send("DELETE", `/${id}/repeat`, key);

export async function openSeries() {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  return { ...account, channel: channel.id, handle: channel.handle };
}

/** The body of a post that repeats every day. `more`: further fields of `repeat`. */
export const daily = ({ channel }: { channel: string }, more: object = {}) => ({
  text: "first",
  channels: [channel],
  publish_at: inDays(1),
  repeat: { every: "day", ...more },
});

/** Makes the next posts of this database, as a sweep does. */
export async function makeNextPosts(): Promise<void> {
  const ctx = compose(testEnv, () => {});
  await repeatPosts(ctx, ctx.accounts, null);
}

/** Lets a post's time come, and waits until it has ended. */
export async function publishNow({ key, workspace }: Account, id: string, ms?: number): Promise<PostBody> {
  const { due_at } = await getPost(key, id);
  await age(id, ms ?? Date.parse(due_at ?? "") - Date.now() + 60_000);
  await compose(testEnv, () => {}).publishers.arm(workspace, [{ lane: 0, at: Date.now() }]);
  return finished(key, id);
}

/** The posts of a series, the oldest first. */
export async function listSeries(key: string, first: string): Promise<PostBody[]> {
  const { body } = await call<{ posts: PostBody[] }>("GET", "/v1/posts?limit=100", { token: key });
  const drafts = await call<{ posts: PostBody[] }>("GET", "/v1/posts?status=draft", { token: key });
  return [...drafts.body.posts, ...body.posts]
    .filter(({ id, repeat_of }) => id === first || repeat_of === first)
    .sort((a, b) => a.id.localeCompare(b.id, "en"));
}
