// A post followed to its end, one line for each change of a delivery.
import { nextLookMs } from "../src/client/pages.ts";
import { isFinished } from "../src/domain/posts/post.ts";
import { type Client, patiently, sleep } from "./api/client.ts";
import type { Channel } from "./channel.ts";
import { EXIT } from "./failure.ts";
import { channelOf, outcomeText, type Post, statusText, timeText } from "./output/show-post.ts";
import { type Output, padded, widthOf } from "./output/terminal.ts";
import { warn } from "./session.ts";

const LOOK_EVERY_MS = 1_000;

/** Settles with the post once it has finished; what happens meanwhile is written to `err`. */
export async function waitFor(
  client: Client,
  first: Post,
  channels: Channel[],
  err: Output,
  signal: AbortSignal,
): Promise<Post> {
  const printed = new Map<string, string>();
  let post = first;
  const size = Math.max(0, ...first.deliveries.map((delivery) => widthOf(channelOf(delivery, channels))));
  if (
    !isFinished(post.status) &&
    post.publish_at !== null &&
    Date.parse(post.publish_at) > client.now() + LOOK_EVERY_MS
  ) {
    err.line(
      err.paint(
        "dim",
        `Waiting for ${timeText(post.publish_at, post.timezone, client.now())}. Ctrl-C leaves it to itself.`,
      ),
    );
  }
  for (;;) {
    for (const delivery of post.deliveries) {
      const outcome =
        delivery.status === "pending" || delivery.status === "publishing" ? "" : outcomeText(delivery, client.now());
      // How long until the next try is written once, not counted down.
      const state = `${delivery.status} ${delivery.attempts} ${delivery.url} ${delivery.error}`;
      if (printed.get(delivery.id) === state) continue;
      const isNews = printed.has(delivery.id) || delivery.status !== "pending";
      printed.set(delivery.id, state);
      if (!isNews) continue;
      const name = padded(channelOf(delivery, channels), size);
      err.line(`${name}  ${statusText(err, delivery.status)}${outcome === "" ? "" : `  ${outcome}`}`);
    }
    if (isFinished(post.status)) return post;
    await sleep(nextLookMs(post, client.now()), signal);
    const { id } = post;
    post = (
      await patiently(
        () => client.call("posts.get", { params: { id } }),
        signal,
        (text) => warn(err, text),
      )
    ).body;
  }
}

/** What a finished post means for a script that waited. */
export function exitCodeOf({ deliveries }: Post): number {
  return deliveries.every(({ status }) => status === "live") ? EXIT.done : EXIT.deliveryFailed;
}
