// Follows a post to its end, with one line for each change of a delivery.
import { nextLookMs } from "../src/client/pages.ts";
import { isFinished } from "../src/domain/posts/post.ts";
import { type Client, patiently, sleep } from "./api/client.ts";
import type { Channel } from "./channel.ts";
import { EXIT, usage } from "./failure.ts";
import { spanText } from "./output/format.ts";
import {
  type Delivery,
  formatDeliveryChannel,
  outcomeText,
  type Post,
  statusText,
  timeText,
} from "./output/show-post.ts";
import { measureWidth, type Output, oneLine, padded } from "./output/terminal.ts";
import { warn } from "./session.ts";

const LOOK_EVERY_MS = 1_000;

const UNITS_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** `--wait`, with an optional time. */
export const WAIT_FLAG = {
  type: "boolean",
  short: "w",
  optionalValue: "TIME",
  description:
    "Wait until the post is finished, or for at most this long (90s, 10m, 2h). Exit code 7: a delivery failed; 8: not finished in time.",
} as const;

/** Reads `90s`, `10m` or `2h`, in milliseconds. Throws a usage failure for anything else. No value means no limit. */
export function readWait(value: string | undefined): number {
  if (value === undefined || value === "true") return Number.POSITIVE_INFINITY;
  const [, count = "", unit = ""] = /^([1-9]\d{0,5})([smh])$/.exec(value) ?? [];
  const unitMs = UNITS_MS[unit];
  if (unitMs === undefined)
    throw usage("--wait does not have a valid duration.", "for example --wait=90s, --wait=10m or --wait=2h");
  return Number(count) * unitMs;
}

/** The outcome of a delivery, or its current step. */
function progressText(delivery: Delivery, now: number): string {
  if (delivery.status === "pending") return "";
  if (delivery.status === "publishing") return oneLine(delivery.hint ?? "");
  return outcomeText(delivery, now);
}

interface Waiting {
  err: Output;
  signal: AbortSignal;
  /** How long to follow the post, in milliseconds. */
  waitMs: number;
}

/** Resolves with the post once it has finished, or the time is up. Progress is written to `err`. */
export async function waitFor(
  client: Client,
  first: Post,
  channels: Channel[],
  { err, signal, waitMs }: Waiting,
): Promise<Post> {
  const endsAt = client.now() + waitMs;
  const printed = new Map<string, string>();
  let post = first;
  const size = Math.max(
    0,
    ...first.deliveries.map((delivery) => measureWidth(formatDeliveryChannel(delivery, channels))),
  );
  if (
    !isFinished(post.status) &&
    post.publish_at !== null &&
    Date.parse(post.publish_at) > client.now() + LOOK_EVERY_MS
  ) {
    err.line(
      err.paint(
        "dim",
        `Waiting for ${timeText(post.publish_at, post.timezone, client.now())}. Ctrl-C stops waiting; the post is published anyway.`,
      ),
    );
  }
  for (;;) {
    for (const delivery of post.deliveries) {
      const { status, attempts, url, error, hint } = delivery;
      const outcome = progressText(delivery, client.now());
      // The time until the next try is printed once, without a countdown.
      const state = [status, attempts, url, error, status === "publishing" && hint !== null].join(" ");
      if (printed.get(delivery.id) === state) continue;
      const isNews = printed.has(delivery.id) || delivery.status !== "pending";
      printed.set(delivery.id, state);
      if (!isNews) continue;
      const name = padded(formatDeliveryChannel(delivery, channels), size);
      err.line(`${name}  ${statusText(err, delivery.status)}${outcome === "" ? "" : `  ${outcome}`}`);
    }
    if (isFinished(post.status)) return post;
    const leftMs = endsAt - client.now();
    if (leftMs <= 0) {
      err.line(
        `Not finished after ${spanText(waitMs)}; the post continues by itself. To check its progress: crier status ${post.id}`,
      );
      return post;
    }
    await sleep(Math.min(leftMs, nextLookMs(post, client.now())), signal);
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

/** The exit code of a post for a script that waited for it. */
export function getExitCode({ status, deliveries }: Post): number {
  if (!isFinished(status)) return EXIT.notFinished;
  return deliveries.every(({ status }) => status === "live" || status === "handed_over")
    ? EXIT.done
    : EXIT.deliveryFailed;
}
