// Checks posts published at once and scheduled, large imports, and a webhook.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Body, type Client, finished, Refusal } from "../../src/client/index.ts";
import { sparseVideo } from "../local/sparse-video.ts";
import { runCommand } from "./commands.ts";
import { type Channel, expectThat, type Smoke } from "./run.ts";

/** Rows of the largest import, each of which takes several statements. */
const ROWS = 500;
/** Telegram accepts up to 50 MB from a bot, which is the lowest limit among networks that accept videos. */
const VIDEO_BYTES = 40_000_000;
/** More than Cloudflare allows in one request from a client of the Free plan. */
const LARGE_VIDEO_BYTES = 101_000_000;
const CONVERSION_CHECK = "image, converted";
/** Made by test/support/make-heic.ts: no network accepts it unconverted. */
const PHOTO = join(import.meta.dirname, "phone.heic");
const PHOTO_SIDE = 1_024;
const AHEAD_MS = 7 * 86_400_000;
const VIDEO_CHECK = "deploy during an upload";
/** A post is published within seconds of its time. A longer delay means that a wake-up was lost. */
const LATE_MAX_MS = 5_000;
const SIMULATED: Channel = {
  platform: "telegram",
  handle: "@smoke",
  credentials: { bot_token: `123456789:${"A".repeat(35)}`, chat_id: "@smoke" },
};

/**
 * Creates as many drafts with one call as an import accepts, which is the largest batch of statements that a caller can
 * cause.
 */
export async function checkImport({ member, check }: Smoke): Promise<void> {
  await check(`import of ${ROWS} rows`, async () => {
    const rows = Array.from({ length: ROWS }, (_, i) =>
      JSON.stringify({ text: `Row ${i} of a smoke test`, draft: true }),
    );
    const before = performance.now();
    const { body } = await member.call("posts.import", {
      body: { type: "application/x-ndjson", text: rows.join("\n") },
    });
    const [first] = body.rows.filter(({ valid }) => !valid);
    expectThat(body.created === ROWS, `${body.created} were created: ${JSON.stringify(first)}`);
    return `${Math.round(performance.now() - before)} ms`;
  });
}

/** Lets Crier call an endpoint, ideally a Worker of the same account. */
export async function checkWebhook({ member, webhook, check, skip }: Smoke): Promise<void> {
  if (webhook === null) return skip("webhook", "needs an endpoint: --webhook URL");
  await check("webhook", async () => {
    const { body } = await member.call("webhooks.create", { body: { url: webhook } });
    const tested = await member.call("webhooks.test", { params: { id: body.id } });
    const { outcome, response_code, ms } = tested.body;
    expectThat(outcome === "delivered", `${outcome}, answered ${response_code}`);
    return `answered ${response_code} in ${ms} ms`;
  });
}

/** Checks posts that are published at once, at a later time, and while a command runs. */
export async function checkPosts(smoke: Smoke): Promise<void> {
  const { member, channel, aheadMs, isLocal, check, skip } = smoke;
  const target = channel ?? (isLocal ? SIMULATED : null);
  const names = ["post at once", `post ${aheadMs / 1_000} s ahead`] as const;
  if (target === null) {
    for (const name of [...names, CONVERSION_CHECK, VIDEO_CHECK])
      skip(name, "needs an account on a network: --channel FILE");
    return;
  }
  let id: string | null = null;
  await check("channel", async () => {
    const { body } = await member.call("channels.connect", { body: target });
    id = body.id;
    return `${body.platform} ${body.handle}`;
  });
  if (id === null) return;
  const channels = [id];
  for (const [i, name] of names.entries()) {
    await check(name, async () => {
      const publishAt = i === 0 ? undefined : new Date(member.now() + aheadMs).toISOString();
      const { lateMs } = await publish(member, { text: smokeText(member), channels, publish_at: publishAt });
      expectThat(isLocal || lateMs <= LATE_MAX_MS, `it was ${lateMs} ms late, more than ${LATE_MAX_MS}`);
      return `${lateMs} ms late`;
    });
  }
  await checkConversion(smoke, id);
  await checkVideo(smoke, id);
}

/**
 * Lets Crier convert a phone's photo for the channel. The post is scheduled far ahead and then cancelled, so it is never
 * published.
 */
async function checkConversion({ member, check, skip }: Smoke, channel: string): Promise<void> {
  const photo = await readFile(PHOTO);
  const facts = { content_type: "image/heic", bytes: photo.byteLength };
  const upload = await member.call("media.request-upload", { body: facts }).catch((error: unknown) => error);
  if (upload instanceof Refusal && upload.code === "content_type_not_allowed") {
    return skip(CONVERSION_CHECK, "needs the Images binding: npm run deploy -- --images");
  }
  await check(CONVERSION_CHECK, async () => {
    const { upload_url: address, media } = (await member.call("media.request-upload", { body: facts })).body;
    const headers = { "content-type": facts.content_type };
    const { status } = await fetch(address, { method: "PUT", body: new Uint8Array(photo), headers });
    expectThat(status === 200, `the bucket answered ${status}`);
    const publishAt = new Date(member.now() + AHEAD_MS).toISOString();
    const post = { text: smokeText(member), channels: [channel], media: [media.id], publish_at: publishAt };
    const before = performance.now();
    const { body } = await member.call("posts.create", { body: { ...post, media_fit: "adapt" } });
    const ms = Math.round(performance.now() - before);
    if ("dry_run" in body) throw new Error("it was a dry run");
    await member.call("posts.remove", { params: { id: body.id } });
    const [file] = body.deliveries[0]?.files ?? [];
    const isConverted = file?.content_type === "image/jpeg" && file.width === PHOTO_SIDE && file.height === PHOTO_SIDE;
    expectThat(isConverted, `it became ${JSON.stringify(file)}`);
    return `HEIC became a JPEG of ${file?.bytes} bytes in ${ms} ms; the post was cancelled`;
  });
}

const smokeText = (member: Client) => `A smoke test, ${new Date(member.now()).toISOString()}`;

/** Waits until a post is live on its one channel. Throws the reason if it fails. */
async function publish(member: Client, body: Body<"posts.create">, meanwhile?: () => Promise<unknown>) {
  const response = await member.call("posts.create", { body });
  if ("dry_run" in response.body) throw new Error("it was a dry run");
  await meanwhile?.();
  const post = await finished(member, response.body.id);
  const [delivery] = post.deliveries;
  expectThat(delivery?.status === "live", `it is ${delivery?.status}: ${delivery?.error} ${delivery?.hint}`);
  const due = Date.parse(body.publish_at ?? post.created_at);
  return { lateMs: Date.parse(delivery?.published_at ?? "") - due, url: delivery?.url ?? null };
}

/** Publishes a video of the largest size that its channel accepts in one call, while the operator's command runs. */
async function checkVideo({ member, isLarge, deploy, check, skip }: Smoke, channel: string): Promise<void> {
  if (deploy === null) return skip(VIDEO_CHECK, 'needs a command: --deploy "npm run deploy"');
  await check(VIDEO_CHECK, async () => {
    const bytes = isLarge ? LARGE_VIDEO_BYTES : VIDEO_BYTES;
    const file = await openVideo(bytes);
    const { body } = await member.call("media.request-upload", { body: { content_type: "video/mp4", bytes } });
    const { status } = await fetch(body.upload_url, {
      method: "PUT",
      body: file,
      headers: { "content-type": "video/mp4" },
    });
    expectThat(status === 200, `the bucket answered ${status}`);
    const post = { text: smokeText(member), channels: [channel], media: [body.media.id] };
    const { lateMs, url } = await publish(member, post, () => runCommand(deploy, [], true));
    return `${bytes / 1_000_000} MB were live after ${Math.round(lateMs / 1_000)} s; check that it exists exactly once: ${url}`;
  });
}

/** A playable video, followed by a box that players skip. */
async function openVideo(bytes: number): Promise<Blob> {
  const folder = await mkdtemp(join(tmpdir(), "crier-smoke-"));
  const file = join(folder, "video.mp4");
  await sparseVideo(file, bytes);
  const video = new Blob([await readFile(file)]);
  await rm(folder, { recursive: true, force: true });
  return video;
}
