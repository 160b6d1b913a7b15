// One call creates a pin. It carries no key of ours, so after a lost answer the board is searched for the pin.
import * as z from "zod";
import type { Live, Outcome, PrepareOutcome, ReconcileOutcome } from "../../domain/delivery/outcome.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { ConnectorContext, Publication } from "../network.ts";
import { readResult, unknown } from "../shared/http-call.ts";
import { call } from "./api.ts";
import { readRejection, readWriteRejection } from "./errors.ts";
import type { Credential, Options, PublishKey } from "./rule.ts";
import { uploadVideo, videoReady } from "./video.ts";

type Ready = Extract<PublishKey, { step: "ready" }>;
/** How far the network's clock and ours may differ. */
const CLOCK_SKEW_MS = 60_000;

export async function prepare(
  post: Publication<Options>,
  context: ConnectorContext<Credential>,
  publishKey: PublishKey | null,
  save: (publishKey: PublishKey) => Promise<void>,
): Promise<PrepareOutcome> {
  if (publishKey?.step === "ready") return { is: "prepared", publishKey };
  const [file] = post.media;
  let mediaId: string | null = null;
  if (file?.kind === "video") {
    if (publishKey?.step === "video") mediaId = publishKey.media_id;
    else {
      const uploaded = await uploadVideo(file, context);
      if (typeof uploaded !== "string") return uploaded;
      mediaId = uploaded;
      await save({ step: "video", media_id: mediaId });
    }
    const ready = await videoReady(mediaId, file, context);
    if (ready !== "ready") return ready;
  }
  const { board, title = null, link } = post.options;
  const pin = { board, title, link, description: post.text };
  return { is: "prepared", publishKey: { step: "ready", media_id: mediaId, since: context.io.now(), pin } };
}

function requireReady(publishKey: PublishKey): Ready {
  if (publishKey.step !== "ready") throw new Error("a pin is created before everything is there");
  return publishKey;
}

export const live = (id: string): Live => ({
  is: "live",
  id,
  url: `https://www.pinterest.com/pin/${id}/`,
  urlState: "none",
});

export const Pin = z.object({ id: z.string().regex(/^\d+$/) });

export async function publish(
  post: Publication<Options>,
  publishKey: PublishKey,
  { credential, io }: ConnectorContext<Credential>,
): Promise<Outcome> {
  const { pin, media_id } = requireReady(publishKey);
  const [file] = post.media;
  const { board_section } = post.options;
  const answer = await call(io, credential.access_token, "POST", "/pins", {
    board_id: pin.board,
    board_section_id: board_section,
    title: pin.title ?? undefined,
    description: pin.description === "" ? undefined : pin.description,
    link: pin.link ?? undefined,
    alt_text: isCarousel(post) ? undefined : (file?.alt ?? undefined),
    media_source: buildSource(post, media_id),
  });
  const created = readResult(answer, Pin);
  if (created !== undefined) return live(created.id);
  return readWriteRejection(answer, io.now()) ?? unknown(answer, io.now());
}

const isCarousel = ({ media }: Publication<Options>) => media.length > 1;

/** The files of a pin: PinMediaSource of pinterest/api-description 5.23.0, read 2026-11-22 and 2026-11-27. */
function buildSource(post: Publication<Options>, mediaId: string | null): JsonObject {
  const { media, thumbnail, options } = post;
  const [file] = media;
  if (mediaId !== null) {
    const frame = { cover_image_key_frame_time: options.cover_frame_seconds };
    const cover = thumbnail === undefined ? frame : { cover_image_url: thumbnail.url };
    return { source_type: "video_id", media_id: mediaId, ...cover };
  }
  // `index` is the image that the pin shows first.
  if (isCarousel(post))
    return { source_type: "multiple_image_urls", index: 0, items: media.map(({ url }) => ({ url })) };
  return { source_type: "image_url", url: file?.url ?? "" };
}

const Listed = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      created_at: z.string(),
      title: z.string().nullish(),
      description: z.string().nullish(),
      link: z.string().nullish(),
    }),
  ),
});

/** Searches the board's newest pins. A missing pin proves nothing, because it may still appear. */
export async function reconcile(
  publishKey: PublishKey,
  { credential, io }: ConnectorContext<Credential>,
): Promise<ReconcileOutcome> {
  const { pin, since } = requireReady(publishKey);
  const answer = await call(io, credential.access_token, "GET", `/boards/${pin.board}/pins?page_size=100`);
  const listed = readResult(answer, Listed);
  if (listed === undefined) {
    const rejection = readRejection(answer, io.now());
    return rejection?.is === "retryable" || rejection?.is === "unauthorized" ? rejection : unknown(answer, io.now());
  }
  const listedPin = listed.items.find(
    ({ created_at, title, description, link }) =>
      // Zone-less instants are UTC.
      Date.parse(/[Z+]/.test(created_at) ? created_at : `${created_at}Z`) >= since - CLOCK_SKEW_MS &&
      (title || null) === pin.title &&
      (description ?? "") === pin.description &&
      (link || null) === pin.link,
  );
  return listedPin === undefined
    ? { is: "unknown", detail: "the board does not show the pin", isAbsent: true }
    : live(listedPin.id);
}
