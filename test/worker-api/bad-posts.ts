// Accounts and calls for invalid posts.
import { beforeAll } from "vitest";
import { type Account, call, connect, post, signUp, uploadImage } from "../support/world.ts";

export let account: Account;
export let channel: string;
export let image: string;
export let foreign: { channel: string; media: string; post: string };
/** Creates an account and a stranger before the tests of the file that calls this. */
export function withAccounts(): void {
  beforeAll(async () => {
    const stranger = await signUp();
    account = await signUp();
    channel = (await connect(account.key, "telegram")).id;
    image = (await uploadImage(account)).id;
    const theirs = (await connect(stranger.key, "telegram")).id;
    foreign = {
      channel: theirs,
      media: (await uploadImage(stranger)).id,
      post: (await post(stranger.key, { draft: true, text: "x" })).id,
    };
  });
}

export interface RefusalBody {
  error: string;
  field?: string;
  violations?: { code: string; field?: string }[];
  next: string | null;
  posts: unknown[];
}
export const DAY_MS = 86_400_000;

/**
 * Makes a dry run of a valid post with some fields changed. It finds the same violations as a call that creates the
 * post.
 */
export const dryRun = (changes: object) =>
  call<RefusalBody>("POST", "/v1/posts", {
    token: account.key,
    body: { text: "x", channels: [channel], dry_run: true, ...changes },
  });
export const refusal = (error: string, field: string) => ({ status: 422, body: { error, field } });
