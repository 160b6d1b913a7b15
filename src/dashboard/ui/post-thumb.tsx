// The first file of a post, 40 px wide.
import { useMemo, useState } from "react";
import { MEDIA_IDS_MAX } from "../../domain/limits.ts";
import { useRead } from "../reads.ts";
import type { Media } from "../types.ts";
import { Icon } from "./icons.tsx";
import { findFirstFile, type WithFiles } from "./post-title.ts";

/** The files with these ids, read a page at a time; the ones that are known stay while more are read. */
function useFiles(ids: readonly string[]): ReadonlyMap<string, Media> {
  const unique = [...new Set(ids)].sort();
  const files = useRead(
    ["media", "files", unique.join(",")],
    async (client, signal) => {
      const pages: string[][] = [];
      for (let i = 0; i < unique.length; i += MEDIA_IDS_MAX) pages.push(unique.slice(i, i + MEDIA_IDS_MAX));
      const read = async (page: string[]) =>
        (await client.call("media.list", { query: { ids: page.join(","), limit: "200" }, signal })).body.media;
      return (await Promise.all(pages.map(read))).flat();
    },
    { keep: true, when: unique.length > 0 },
  );
  return useMemo(() => new Map((files.data ?? []).map((file) => [file.id, file])), [files.data]);
}

/** The first file of each post. */
export const useFirstFiles = (posts: readonly WithFiles[]) =>
  useFiles(posts.flatMap((post) => findFirstFile(post) ?? []));

/** The small copy of a file; null if the file has none. */
export const getSmallCopy = (file: Media | undefined): string | null =>
  file === undefined || file.state === "expired" ? null : file.thumbnail_url;

/** A picture of the post. It is decoration: the post's words follow it. */
export function PostThumb({ post, files }: { post: WithFiles; files: ReadonlyMap<string, Media> }) {
  const id = findFirstFile(post);
  const file = id === null ? undefined : files.get(id);
  const url = getSmallCopy(file);
  const [broken, setBroken] = useState<string | null>(null);
  if (url !== null && url !== broken) {
    return (
      <img
        className="thumb-small"
        src={url}
        alt=""
        width={40}
        height={40}
        loading="lazy"
        onError={() => setBroken(url)}
      />
    );
  }
  return (
    <span className="thumb-small" aria-hidden="true">
      <Icon name={id === null ? "text" : file?.kind === "video" ? "film" : "image"} />
    </span>
  );
}
