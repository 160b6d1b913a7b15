// The record that is a post: app.bsky.feed.post with its embed, and the key under which it is written.
import * as z from "zod";
import type { Rejected, Retryable, Unauthorized } from "../../domain/delivery/outcome.ts";
import type { JsonObject } from "../../domain/json.ts";
import { readAtMost } from "../../domain/read-at-most.ts";
import { withTimeLimit } from "../../domain/time-limit.ts";
import type { MediaFile } from "../media-file.ts";
import type { ConnectorContext, NetworkIO, Publication } from "../network.ts";
import { mentionLookup, onPds } from "./api.ts";
import type { Credential } from "./credential.ts";
import { harmless } from "./errors.ts";
import { readPage } from "./link-card.ts";
import { findQuoted, quoteEmbed } from "./quote.ts";
import { findSpans, type Span } from "./rich-text.ts";
import { type Options, PLAIN_IMAGES_MAX, THUMB_BYTES_MAX } from "./rule.ts";

type Publishing = Publication<Options>;
export type Failure = Retryable | Rejected | Unauthorized;
export type Blob = JsonObject;

/** The time limit for uploading one blob of at most 2 MB. */
const UPLOAD_TIMEOUT_MS = 120_000;
const PAGE_TIMEOUT_MS = 10_000;
const PAGE_BYTES_MAX = 512 * 1024;
const REDIRECTS_MAX = 3;

const BlobAnswer = z.object({ blob: z.record(z.string(), z.json()) });

/** Uploads bytes to the account's server. The blob goes into the record unchanged. */
export async function uploadBlob(
  context: ConnectorContext<Credential>,
  file: { contentType: string; bytes: number; open(): Promise<ReadableStream<Uint8Array>> },
): Promise<Blob | Failure> {
  const answer = await onPds(
    context,
    "com.atproto.repo.uploadBlob",
    async () => ({
      method: "POST",
      headers: { "content-type": file.contentType, "content-length": String(file.bytes) },
      body: context.io.sized(await file.open(), file.bytes),
    }),
    UPLOAD_TIMEOUT_MS,
  );
  const parsed = answer.is === "answer" && answer.status === 200 ? BlobAnswer.safeParse(answer.body) : null;
  return parsed?.success ? { ...parsed.data.blob } : harmless(answer, context.io.now());
}

export function isFailure(value: JsonObject | Failure): value is Failure {
  return "is" in value && typeof value.is === "string";
}

const aspectRatio = ({ width, height }: MediaFile): JsonObject =>
  width === null || height === null ? {} : { aspectRatio: { width, height } };

/** Uploads the missing images, with a checkpoint after each image. Returns the blobs of all images, in order. */
export async function uploadImages(
  context: ConnectorContext<Credential>,
  images: MediaFile[],
  uploaded: Blob[],
  save: (blobs: Blob[]) => Promise<void>,
): Promise<Blob[] | Failure> {
  const blobs = [...uploaded];
  for (const image of images.slice(blobs.length)) {
    if (images.length > PLAIN_IMAGES_MAX && (image.width === null || image.height === null)) {
      const detail = `file ${image.position + 1} (${image.id}): its dimensions cannot be read, and a gallery needs them`;
      return { is: "rejected", error: "media_refused", detail };
    }
    const blob = await uploadBlob(context, image);
    if (isFailure(blob)) return blob;
    blobs.push(blob);
    await save(blobs);
  }
  return blobs;
}

/** The images of a post as an embed: up to four next to each other, more as a gallery. */
function imagesEmbed(images: MediaFile[], blobs: Blob[]): JsonObject {
  const gallery = images.length > PLAIN_IMAGES_MAX;
  const $type: JsonObject = gallery ? { $type: "app.bsky.embed.gallery#image" } : {};
  const items = images.map((image, i) => ({
    ...$type,
    image: blobs[i] ?? {},
    alt: image.alt ?? "",
    ...aspectRatio(image),
  }));
  return gallery ? { $type: "app.bsky.embed.gallery", items } : { $type: "app.bsky.embed.images", images: items };
}

/** The card of a page, from the caller or from the page itself. null: no card. */
async function cardEmbed(
  context: ConnectorContext<Credential>,
  options: Options,
  spans: Span[],
): Promise<JsonObject | Failure | null> {
  const { link_card: card } = options;
  if (typeof card === "object") {
    const { url: uri, title, description } = card;
    return { $type: "app.bsky.embed.external", external: { uri, title, description } };
  }
  const link = spans.map(({ feature }) => feature).find((feature) => feature.kind === "link");
  if (card === "off" || link === undefined) return null;
  const page = await fetchBytes(context.io, link.uri, /^text\/html\b/, PAGE_BYTES_MAX, true);
  const facts = page && readPage(new TextDecoder().decode(page.bytes), link.uri);
  if (!facts) return null;
  const { title, description, imageUrl } = facts;
  const thumb =
    imageUrl === null
      ? null
      : await fetchBytes(context.io, imageUrl, /^image\/(jpeg|png|webp)\b/, THUMB_BYTES_MAX, false);
  const blob =
    thumb &&
    (await uploadBlob(context, {
      contentType: thumb.contentType,
      bytes: thumb.bytes.byteLength,
      open: async () => new Response(thumb.bytes).body ?? new ReadableStream(),
    }));
  const external = { uri: link.uri, title, description, ...(blob !== null && !isFailure(blob) ? { thumb: blob } : {}) };
  return { $type: "app.bsky.embed.external", external };
}

/** Follows redirects, and checks each address again. */
async function follow(io: NetworkIO, url: string, signal: AbortSignal): Promise<Response> {
  let currentUrl = url;
  for (let hop = 0; ; hop++) {
    const response = await io.fetchPublic(currentUrl, { signal });
    const location = response.headers.get("location");
    const moved = response.status >= 300 && response.status < 400 && location !== null;
    if (!moved || hop === REDIRECTS_MAX || !URL.canParse(location, currentUrl)) return response;
    await response.body?.cancel();
    currentUrl = new URL(location, currentUrl).href;
  }
}

/**
 * Reads at most `bytesMax` bytes of a page or picture (`cut`: the beginning is enough). Returns null on failure, because a
 * missing card must not fail the post.
 */
async function fetchBytes(io: NetworkIO, url: string, type: RegExp, bytesMax: number, cut: boolean) {
  try {
    return await withTimeLimit(PAGE_TIMEOUT_MS, async (signal) => {
      const response = await follow(io, url, signal);
      const contentType = response.headers.get("content-type")?.toLowerCase() ?? "";
      if (!response.ok || response.body === null || !type.test(contentType)) {
        await response.body?.cancel();
        return null;
      }
      const bytes = await readAtMost(response.body, bytesMax + 1);
      if (bytes.byteLength > bytesMax && !cut) return null;
      return { bytes, contentType: contentType.split(";")[0] ?? contentType };
    });
  } catch {
    return null;
  }
}

/** The facets of the spans. A mention that is unknown, or that could not be looked up, stays plain text. */
async function buildFacets(context: ConnectorContext<Credential>, spans: Span[]): Promise<JsonObject[] | Retryable> {
  const facets: JsonObject[] = [];
  const lookUp = mentionLookup(context);
  for (const { byteStart, byteEnd, feature } of spans) {
    const index = { byteStart, byteEnd };
    if (feature.kind === "link") {
      facets.push({ index, features: [{ $type: "app.bsky.richtext.facet#link", uri: feature.uri }] });
    } else if (feature.kind === "tag") {
      facets.push({ index, features: [{ $type: "app.bsky.richtext.facet#tag", tag: feature.tag }] });
    } else {
      const did = await lookUp(feature.handle);
      if (did === "wait") {
        return { is: "retryable", error: "network_unavailable", detail: `@${feature.handle} could not be looked up` };
      }
      if (did !== null) facets.push({ index, features: [{ $type: "app.bsky.richtext.facet#mention", did }] });
    }
  }
  return facets;
}

/** Uploads the captions of a video, and returns them in the form of its embed. They are small, so a crash only repeats them. */
async function uploadCaptions(
  context: ConnectorContext<Credential>,
  { captions = [] }: Publishing,
): Promise<JsonObject[] | Failure> {
  const entries: JsonObject[] = [];
  for (const { lang, file } of captions) {
    const blob = await uploadBlob(context, file);
    if (isFailure(blob)) return blob;
    entries.push({ lang, file: blob });
  }
  return entries;
}

/** Builds the exact record of a post. `blobs` are its uploaded files. */
export async function buildRecord(
  context: ConnectorContext<Credential>,
  post: Publishing,
  blobs: Blob[],
): Promise<JsonObject | Failure> {
  const spans = findSpans(post.text);
  const facets = await buildFacets(context, spans);
  if (!Array.isArray(facets)) return facets;
  const [first] = post.media;
  let embed: JsonObject | Failure | null = null;
  if (first?.kind === "video") {
    const captions = await uploadCaptions(context, post);
    if (!Array.isArray(captions)) return captions;
    embed = {
      $type: "app.bsky.embed.video",
      video: blobs[0] ?? {},
      ...(captions.length === 0 ? {} : { captions }),
      ...(first.alt === null ? {} : { alt: first.alt }),
      ...aspectRatio(first),
    };
  } else if (first !== undefined) embed = imagesEmbed(post.media, blobs);
  else embed = await cardEmbed(context, post.options, spans);
  if (embed !== null && isFailure(embed)) return embed;
  if (post.options.quote !== undefined) {
    const quoted = await findQuoted(post.options.quote, context);
    if (isFailure(quoted)) return quoted;
    embed = quoteEmbed(quoted, embed);
  }
  const { langs, labels, hashtags } = post.options;
  return {
    $type: "app.bsky.feed.post",
    text: post.text,
    ...(facets.length > 0 ? { facets } : {}),
    ...(embed === null ? {} : { embed }),
    ...(langs === undefined ? {} : { langs }),
    ...(labels === undefined
      ? {}
      : { labels: { $type: "com.atproto.label.defs#selfLabels", values: labels.map((val) => ({ val })) } }),
    ...(hashtags === undefined ? {} : { tags: hashtags }),
    createdAt: new Date(context.io.now()).toISOString(),
  };
}

const BASE32_SORTABLE = "234567abcdefghijklmnopqrstuvwxyz";

/** A record key: 53 bits of microseconds and 10 random bits, in 13 sortable characters (atproto TID). */
export function makeTid(nowMs: number, random: Uint8Array): string {
  const [high = 0, low = 0, micros = 0] = random;
  const clock = BigInt(((high << 8) | low) & 0x3ff);
  let remainingBits = ((BigInt(nowMs) * 1000n + BigInt(micros)) << 10n) | clock;
  let tid = "";
  for (let i = 0; i < 13; i++) {
    tid = BASE32_SORTABLE.charAt(Number(remainingBits & 31n)) + tid;
    remainingBits >>= 5n;
  }
  return tid;
}
