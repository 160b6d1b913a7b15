// A post in a list: its text, channels, time and state.
import { Link } from "wouter";
import { networkName } from "../../domain/network-name.ts";
import type { Post } from "../types.ts";
import { Instant, Mark, State } from "./marks.tsx";

export function PostRow({ post }: { post: Post }) {
  const platforms = [...new Set(post.deliveries.map(({ platform }) => platform))];
  const failed = post.deliveries.filter(({ status }) => status === "failed").length;
  return (
    <div className="post-row">
      <Link href={`/posts/${post.id}`} className="words">
        {post.text.trim() || `${post.media.length} ${post.media.length === 1 ? "file" : "files"}, no text`}
      </Link>
      <span className="meta">
        <State of={post.status} />
        {post.due_at !== null && <Instant at={post.due_at} />}
        {platforms.length > 0 && (
          <>
            <span className="marks">
              {platforms.map((platform) => (
                <Mark key={platform} platform={platform} />
              ))}
            </span>
            <span className="visually-hidden">on {platforms.map(networkName).join(", ")}</span>
          </>
        )}
        {failed > 0 && (
          <span className="state" data-tone="bad">
            {failed} failed
          </span>
        )}
        {post.labels.map((label) => (
          <span key={label} className="state">
            {label}
          </span>
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
