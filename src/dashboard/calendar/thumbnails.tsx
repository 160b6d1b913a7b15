// The first picture of each post, for its chip.
import { createContext, type ReactNode, use } from "react";
import type { Media, Post } from "../types.ts";
import { getSmallCopy, useFirstFiles } from "../ui/post-thumb.tsx";
import { findFirstFile } from "../ui/post-title.ts";

/** More pictures than a month has chips, in few calls. */
const PICTURES_MAX = 200;

const Current = createContext<ReadonlyMap<string, Media>>(new Map());

/** Reads the pictures of the first of these posts for the chips in `children`, which appear without waiting for them. */
export const Thumbnails = ({ posts, children }: { posts: readonly Post[]; children: ReactNode }) => (
  <Current value={useFirstFiles(posts.slice(0, PICTURES_MAX))}>{children}</Current>
);

/** The address of a post's thumbnail; null if its first file has none. */
export const useThumbnail = (post: Post): string | null => getSmallCopy(use(Current).get(findFirstFile(post) ?? ""));
