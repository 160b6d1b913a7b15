// A post as the Graph API returns it.
import { type Fields, formatTime } from "./graph.ts";
import type { Photo, Post } from "./posts.ts";

/** A small number that is always the same for a post and a salt. */
export const figure = (id: string, salt: number) =>
  [...id].reduce((sum, digit) => (sum * 31 + digit.charCodeAt(0) + salt) % 97, salt);

/** The instant under which a Page lists a post, in epoch milliseconds. */
export const listedAt = ({ backdatedAt, createdAt }: Post) => backdatedAt ?? createdAt;

/** A post as a node of the Graph API. */
export function toNode(post: Post): Fields & { id: string } {
  const { id, message, url, photos, link, videoId } = post;
  const target = (photo: Photo) => ({ target: { id: photo.id } });
  const [only] = photos;
  const attachments: Fields[] =
    photos.length > 1
      ? [{ media_type: "album", subattachments: { data: photos.map(target) } }]
      : only !== undefined
        ? [{ media_type: "photo", ...target(only) }]
        : videoId !== null
          ? [{ media_type: "video", target: { id: videoId } }]
          : link !== null
            ? [{ media_type: "link", target: { url: link } }]
            : [];
  return {
    id,
    ...(message === "" ? {} : { message }),
    created_time: formatTime(listedAt(post)),
    permalink_url: url,
    is_published: true,
    is_hidden: false,
    reactions: { data: [], summary: { total_count: figure(id, 1) } },
    comments: { data: [], summary: { total_count: figure(id, 2) } },
    shares: { count: figure(id, 3) },
    ...(attachments.length === 0 ? {} : { attachments: { data: attachments } }),
  };
}
