// The posts of one network with the highest values of one figure, as cards.
import { Link } from "wouter";
import { useRead } from "../reads.ts";
import { Instant } from "../ui/marks.tsx";
import { PostThumb, useFirstFiles } from "../ui/post-thumb.tsx";
import { Found } from "../ui/states.tsx";
import { formatNumber } from "../words/counts.ts";
import { nameMetric } from "../words/states.ts";
import type { FigureName, Range } from "./figures.ts";

const BEST = 4;

interface BestPostsProps {
  platform: string;
  figure: FigureName;
  range: Range;
}

export function BestPosts({ platform, figure, range }: BestPostsProps) {
  const posts = useRead(
    ["analytics", "posts", platform, figure, range],
    async (client, signal) => {
      const query = { ...range, platform, figure, limit: BEST };
      const { body } = await client.call("analytics.posts", { query, signal });
      return Promise.all(
        body.posts.map(async (measured) => ({
          measured,
          post: (await client.call("posts.get", { params: { id: measured.post }, signal })).body,
        })),
      );
    },
    { keep: true },
  );
  const files = useFirstFiles(posts.data?.map(({ post }) => post) ?? []);
  return (
    <Found query={posts} what="The best posts">
      {(bestPosts) => (
        <ol className="best-posts" aria-label={`Posts by ${nameMetric(figure)}`}>
          {bestPosts.map(({ measured: { post: id, channel, published_at: at, figures }, post }) => (
            <li key={`${id} ${channel}`} className="best-post">
              <span className="best-head">
                <span className="numbers-big">{formatNumber(figures[figure]?.value ?? 0)}</span>
                <PostThumb post={post} files={files} />
              </span>
              <Link href={`/posts/${id}`} dir="auto">
                {post.text.trim() || "A post without text"}
              </Link>
              {at !== null && (
                <small className="soft">
                  <Instant at={at} />
                </small>
              )}
            </li>
          ))}
        </ol>
      )}
    </Found>
  );
}
