// The requests that open a video's upload and that publish photos.
import type { JsonObject } from "../../domain/json.ts";
import type { MediaFile } from "../media-file.ts";
import type { Publication } from "../network.ts";
import type { Creator } from "./creator.ts";
import type { Options } from "./rule.ts";

export const isPublic = ({ privacy_level }: Options): boolean => privacy_level === "PUBLIC_TO_EVERYONE";

/** How an upload is split. */
interface Chunks {
  chunkBytes: number;
  chunks: number;
}

/** Members that both kinds of posts share. Interactions are off unless the post asks for them and the account allows them. */
function common(options: Options, creator: Creator): JsonObject {
  return {
    ...(options.privacy_level === undefined ? {} : { privacy_level: options.privacy_level }),
    disable_comment: creator.comment_disabled || (options.disable_comment ?? true),
    brand_content_toggle: options.brand_content ?? false,
    brand_organic_toggle: options.brand_organic ?? false,
  };
}

/** The source of an upload's bytes. */
const uploadSource = (file: MediaFile, { chunkBytes, chunks }: Chunks): JsonObject => ({
  source: "FILE_UPLOAD",
  video_size: file.bytes,
  chunk_size: chunkBytes,
  total_chunk_count: chunks,
});

/** `inbox/video/init`: a draft has neither a text nor settings. */
export const videoDraftRequest = (file: MediaFile, chunks: Chunks): JsonObject => ({
  source_info: uploadSource(file, chunks),
});

/** `video/init` of an upload in `chunks` chunks of `chunkBytes`, of which the last takes the remainder. */
export function videoRequest(
  { text, options }: Publication<Options>,
  creator: Creator,
  file: MediaFile,
  chunks: Chunks,
): JsonObject {
  const post_info = {
    ...(text === "" ? {} : { title: text }),
    ...common(options, creator),
    disable_duet: creator.duet_disabled || (options.disable_duet ?? true),
    disable_stitch: creator.stitch_disabled || (options.disable_stitch ?? true),
    is_aigc: options.is_aigc ?? false,
    ...(options.cover_timestamp_ms === undefined ? {} : { video_cover_timestamp_ms: options.cover_timestamp_ms }),
  };
  return { post_info, source_info: uploadSource(file, chunks) };
}

/** `content/init` for photos, which the network fetches from their addresses. `creator` is null for a draft. */
export function photoRequest({ text, media, options }: Publication<Options>, creator: Creator | null): JsonObject {
  return {
    media_type: "PHOTO",
    post_mode: creator === null ? "MEDIA_UPLOAD" : "DIRECT_POST",
    post_info: {
      ...(options.photo_title === undefined ? {} : { title: options.photo_title }),
      ...(text === "" ? {} : { description: text }),
      ...(creator === null ? {} : { ...common(options, creator), auto_add_music: options.auto_add_music ?? false }),
    },
    source_info: {
      source: "PULL_FROM_URL",
      photo_images: media.map(({ url }) => url),
      photo_cover_index: options.photo_cover_index ?? 0,
    },
  };
}
