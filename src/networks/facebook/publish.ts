// Photos and videos are uploaded unpublished, then one call makes the post. If that call has no answer, Crier searches for the
// post by the id of its photo or video, or by its text if it has neither. If the post is not found, its outcome is unknown, and
// the post is never sent again.
import * as z from "zod";
import type { Commented, Outcome, PrepareOutcome, ReconcileOutcome } from "../../domain/delivery/outcome.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { ConnectorContext, FirstComment, Publication, Published } from "../network.ts";
import { post, readSuccess } from "./api.ts";
import { publishFailure } from "./errors.ts";
import { uploadPhotos } from "./photos.ts";
import { classifyPost } from "./post-kind.ts";
import {
  findDuplicates,
  live,
  liveStory,
  reconcileInFeed,
  reconcileStory,
  resolvePostUrl,
  textDigest,
} from "./reconcile.ts";
import type { Credential, Options, PublishKey, Step } from "./rule.ts";
import { PUBLISH_TIMEOUT_MS, prepareVideo, publishVideo, reconcileVideo } from "./video.ts";

export async function prepare(
  publication: Publication<Options>,
  context: ConnectorContext<Credential>,
  publishKey: PublishKey | null,
  save: (publishKey: PublishKey) => Promise<void>,
): Promise<PrepareOutcome> {
  const kind = classifyPost(publication, context.io.now());
  if (typeof kind !== "string") return kind;
  if (kind !== "feed" && kind !== "photo_story") return prepareVideo(kind, publication, context, publishKey, save);
  const earlierPhotos = publishKey !== null && "photos" in publishKey ? publishKey.photos : [];
  const uploaded = await uploadPhotos(publication.media, context, earlierPhotos, save);
  if ("is" in uploaded) return uploaded;
  const { photos } = uploaded;
  if (kind === "photo_story") return { is: "prepared", publishKey: { step: "photo_story", photos } };
  const text_sha256 = await textDigest(publication.text);
  const { backdated_at: backdated } = publication.options;
  const backdated_at = backdated === undefined ? undefined : Date.parse(backdated);
  const duplicates = photos.length > 0 ? null : await findDuplicates(text_sha256, context, backdated_at);
  const feed = { step: "feed", photos, at: context.io.now(), text_sha256, duplicates };
  return { is: "prepared", publishKey: backdated_at === undefined ? feed : { ...feed, backdated_at } };
}

export async function publish(
  publication: Publication<Options>,
  publishKey: PublishKey,
  context: ConnectorContext<Credential>,
): Promise<Outcome> {
  if (publishKey.step === "feed") return publishToFeed(publication, publishKey, context);
  if (publishKey.step === "photo_story") return publishPhotoStory(publishKey, context);
  if (publishKey.step === "video") return publishVideo(publication, publishKey, context);
  throw new Error("a post is sent before its files are uploaded");
}

/** Fields of a post in the feed: docs/graph-api/reference/page/feed, read 2026-11-27. */
function feedFields({ link_card: card, backdated_at, place, targeting }: Options) {
  return {
    name: card?.title,
    description: card?.description,
    picture: card?.picture,
    backdated_time: backdated_at === undefined ? undefined : Math.floor(Date.parse(backdated_at) / 1_000),
    backdated_time_granularity: backdated_at === undefined ? undefined : "min",
    place,
    targeting: targeting && buildTargeting(targeting),
  };
}

const buildTargeting = ({ countries, age_min }: NonNullable<Options["targeting"]>): JsonObject => ({
  ...(countries !== undefined && { geo_locations: { countries } }),
  ...(age_min !== undefined && { age_min }),
});

const Posted = z.object({ id: z.string().min(1), permalink_url: z.string().min(1).optional() });

async function publishToFeed(
  { text, options }: Publication<Options>,
  publishKey: Step<"feed">,
  context: ConnectorContext<Credential>,
): Promise<Outcome> {
  const { credential, io } = context;
  const photos = publishKey.photos.map(({ id }) => ({ media_fbid: id }));
  const body = {
    message: text === "" ? undefined : text,
    link: options.link,
    ...feedFields(options),
    attached_media: photos.length === 0 ? undefined : photos,
    published: true,
    // With these fields, the answer also has the address of the post (postiz-app, facebook.provider.ts, read 2026-11-20).
    fields: "id,permalink_url",
  };
  const answer = await post(io, credential.page_token, `/${credential.page_id}/feed`, body, PUBLISH_TIMEOUT_MS);
  const posted = readSuccess(answer, Posted);
  return posted === undefined
    ? publishFailure(answer, io.now())
    : live(posted.id, resolvePostUrl(posted.id, posted.permalink_url));
}

const StoryPosted = z.object({ success: z.literal(true), post_id: z.string().min(1) });

async function publishPhotoStory(
  publishKey: Step<"photo_story">,
  context: ConnectorContext<Credential>,
): Promise<Outcome> {
  const { credential, io } = context;
  const [photo] = publishKey.photos;
  const path = `/${credential.page_id}/photo_stories`;
  const answer = await post(io, credential.page_token, path, { photo_id: photo?.id }, PUBLISH_TIMEOUT_MS);
  const posted = readSuccess(answer, StoryPosted);
  return posted === undefined ? publishFailure(answer, io.now()) : liveStory(posted.post_id, context);
}

export async function reconcile(
  publishKey: PublishKey,
  context: ConnectorContext<Credential>,
): Promise<ReconcileOutcome> {
  if (publishKey.step === "feed") return reconcileInFeed(publishKey, context);
  if (publishKey.step === "video") return reconcileVideo(publishKey, context);
  const photo = publishKey.step === "photo_story" ? publishKey.photos[0] : undefined;
  if (photo === undefined) throw new Error("a post is asked for that was never sent");
  return reconcileStory(photo.id, context);
}

/**
 * The id of the node to call. For a video, this is the video's own id, because the id of a reel's post may be derived from it
 * and is not certain.
 */
export const getNodeId = (id: string, publishKey: PublishKey | null) =>
  publishKey?.step === "video" ? publishKey.video_id : id;

/** `POST /{post}/comments {message}`: gitroomhq/postiz-app, facebook.provider.ts, read 2026-11-20. */
async function comment(
  { id, publishKey }: Published<PublishKey>,
  message: string,
  { credential, io }: ConnectorContext<Credential>,
) {
  const answer = await post(
    io,
    credential.page_token,
    `/${getNodeId(id, publishKey)}/comments`,
    { message },
    PUBLISH_TIMEOUT_MS,
  );
  const success: Commented = { is: "commented" };
  return readSuccess(answer, z.object({ id: z.string().min(1) })) === undefined
    ? publishFailure(answer, io.now())
    : success;
}

export const firstComment: FirstComment<Credential, PublishKey> = {
  publish: (published, text, _ready, context) => comment(published, text, context),
};
