// A workspace whose posts ask for adapted files.
import { call, connect, type PostBody, signUp } from "../support/world.ts";

/** An account with a channel on each platform, and a call that creates a post for all of them. */
export async function openAdapting(...platforms: string[]) {
  const account = await signUp();
  const channels = await Promise.all(platforms.map((platform) => connect(account.key, platform)));
  const ids = channels.map(({ id }) => id);
  const create = (body: object) =>
    call<PostBody>("POST", "/v1/posts", {
      token: account.key,
      body: { text: "x", channels: ids, media_fit: "adapt", ...body },
    });
  return { account, channels, create };
}
