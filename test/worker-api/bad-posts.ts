// Posts that are refused, and by whom they are tried.
import { beforeAll } from "vitest";
import { type Account, call, connect, post, signUp, uploadImage } from "../support/world.ts";

export let account: Account;
export let channel: string;
export let image: string;
export let foreign: { channel: string; media: string; post: string };
/** Signs up who posts, and a stranger, for the file that calls it. */
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

/** A dry run of a good post with some fields changed: it judges as the real call does. */
export const judge = (changes: object) =>
  call<RefusalBody>("POST", "/v1/posts", {
    token: account.key,
    body: { text: "x", channels: [channel], dry_run: true, ...changes },
  });
export const refusal = (error: string, field: string) => ({ status: 422, body: { error, field } });
