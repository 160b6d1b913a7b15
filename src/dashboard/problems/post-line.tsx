// The line of a post in a list of problems, and what all such lines share.
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Media, Post } from "../types.ts";
import { Menu, type MenuEntry } from "../ui/menu.tsx";
import { PostThumb } from "../ui/post-thumb.tsx";
import { getPostTitle } from "../ui/post-title.ts";

/** The page that reconnects an account at once. */
export const reconnectAddress = (channel: string): string => `/channels?reconnect=${channel}`;

/** `entries`: further ways to solve it. */
export const More = ({
  title,
  entries = [],
  onPutAside,
}: {
  title: string;
  entries?: MenuEntry[];
  onPutAside(): void;
}) => (
  <Menu
    label={`More for ${title}`}
    entries={[...entries, { name: "Remove from this list", icon: "tick", act: onPutAside }]}
  />
);

/** A post with a note and its buttons. */
export function PostLine({
  post,
  files,
  note,
  children,
}: {
  post: Post;
  files: ReadonlyMap<string, Media>;
  note: ReactNode;
  children: ReactNode;
}) {
  return (
    <li className="list-row">
      <PostThumb post={post} files={files} />
      <span className="list-text">
        <Link href={`/posts/${post.id}`} dir="auto">
          {getPostTitle(post)}
        </Link>
        <small className="soft">{note}</small>
      </span>
      <span className="row end row-acts">{children}</span>
    </li>
  );
}
