// The first picture of each post, for its chip.
import { createContext, use, useMemo } from "react";
import { useRead } from "../reads.ts";
import type { Post } from "../types.ts";

/** The API returns at most this many files at once. */
const FILES_MAX = 200;

type Thumbnails = ReadonlyMap<string, string>;
const NO_THUMBNAILS: Thumbnails = new Map();
const Current = createContext<Thumbnails>(NO_THUMBNAILS);
export const ThumbnailProvider = Current;

/** The address of a post's thumbnail; undefined if its first file has none. */
export const useThumbnail = (post: Post): string | undefined => use(Current).get(post.media[0] ?? "");

/** The thumbnails of the posts' first files, by file. Chips appear without waiting for them. */
export function useThumbnails(posts: readonly Post[] | undefined): Thumbnails {
  const ids = useMemo(
    () => [...new Set((posts ?? []).flatMap(({ media }) => media.slice(0, 1)))].sort().slice(0, FILES_MAX),
    [posts],
  );
  const { data } = useRead(
    ["media", "thumbnails", ids],
    async (client, signal) =>
      (await client.call("media.list", { query: { ids: ids.join(","), limit: FILES_MAX }, signal })).body.media,
    { when: ids.length > 0, keep: true },
  );
  return useMemo(
    () =>
      data === undefined
        ? NO_THUMBNAILS
        : new Map(data.flatMap(({ id, thumbnail_url: url }) => (url === null ? [] : [[id, url] as const]))),
    [data],
  );
}
