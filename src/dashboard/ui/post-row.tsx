// A post in a list: its text, channels, time and state.
import { Link } from "wouter";
import type { Post } from "../types.ts";
import { count } from "../words/counts.ts";
import { ChannelAvatars } from "./channel.tsx";
import { Instant, Label, Pill, Stamp, State } from "./marks.tsx";

export function PostRow({ post }: { post: Post }) {
  const failed = post.deliveries.filter(({ status }) => status === "failed").length;
  const verified = post.deliveries.flatMap(({ checked_at: at }) => (at === null ? [] : [at])).sort();
  return (
    <div className="post-row">
      <Link href={`/posts/${post.id}`} className="words">
        {post.text.trim() || count(post.media.length, "file")}
      </Link>
      <span className="meta">
        <State of={post.status} />
        {post.due_at !== null && <Instant at={post.due_at} />}
        <ChannelAvatars of={post.deliveries} />
        {failed > 0 && <Pill tone="failed">{failed} failed</Pill>}
        {post.status === "published" && verified[0] !== undefined && <Stamp word="Verified" at={verified[0]} />}
        {post.labels.map((label) => (
          <Label key={label} name={label} />
        ))}
      </span>
    </div>
  );
}

export function PostRows({ posts }: { posts: Post[] }) {
  return (
    <ul className="rows">
      {posts.map((post) => (
        <li key={post.id}>
          <PostRow post={post} />
        </li>
      ))}
    </ul>
  );
}
