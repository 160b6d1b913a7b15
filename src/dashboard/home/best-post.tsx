// Last week's best post. Networks count differently, so it is the best of one network.
import { Link } from "wouter";
import type { Client } from "../../client/client.ts";
import type { METRICS } from "../../domain/metrics.ts";
import { networkName } from "../../domain/network-name.ts";
import { useRead } from "../reads.ts";
import type { Post } from "../types.ts";
import { Mark } from "../ui/channel.tsx";
import { Instant } from "../ui/marks.tsx";
import { PostThumb, useFirstFiles } from "../ui/post-thumb.tsx";
import { getPostTitle } from "../ui/post-title.ts";
import { SkeletonRows } from "../ui/states.tsx";
import { formatNumber } from "../words/counts.ts";
import { nameMetric } from "../words/states.ts";

type Metric = (typeof METRICS)[number];
/** The figures by which a post is called the best, the most telling first. */
const BY: readonly Metric[] = ["views", "likes", "reposts", "comments"];

interface Best {
  post: Post;
  platform: string;
  metric: Metric;
  value: number;
}

/** The post with the highest figure on the network whose posts were seen most. */
async function readBest(client: Client, signal: AbortSignal): Promise<Best | null> {
  const { body } = await client.call("analytics.read", { query: { days: "7" }, signal });
  for (const metric of BY) {
    const [network] = body.networks
      .flatMap(({ platform, figures }) => {
        const value = figures[metric]?.value ?? 0;
        return value > 0 ? [{ platform, value }] : [];
      })
      .sort((first, second) => second.value - first.value);
    if (network === undefined) continue;
    const query = { days: "7", platform: network.platform, figure: metric, limit: "1" } as const;
    const [best] = (await client.call("analytics.posts", { query, signal })).body.posts;
    if (best === undefined) continue;
    const post = (await client.call("posts.get", { params: { id: best.post }, signal })).body;
    return { post, platform: network.platform, metric, value: best.figures[metric]?.value ?? 0 };
  }
  return null;
}

export function BestPost() {
  const best = useRead(["analytics", "best"], readBest);
  const files = useFirstFiles(best.data === undefined || best.data === null ? [] : [best.data.post]);
  // Figures are an extra of this page: without them, it says so and goes on.
  return (
    <section className="card best" aria-label="Last week's best post">
      <div className="row apart">
        <h2>Last week's best post</h2>
        <Link href="/analytics">Analytics</Link>
      </div>
      {best.isPending ? (
        <SkeletonRows what="Your best post" count={2} />
      ) : best.data === undefined || best.data === null ? (
        <p className="soft">There are no figures for the last seven days yet.</p>
      ) : (
        <>
          <div className="list-row">
            <PostThumb post={best.data.post} files={files} />
            <span className="list-text">
              <Link href={`/posts/${best.data.post.id}`} dir="auto">
                {getPostTitle(best.data.post)}
              </Link>
              <small className="soft">{best.data.post.due_at !== null && <Instant at={best.data.post.due_at} />}</small>
            </span>
          </div>
          <p className="row">
            <span className="numbers-big">{formatNumber(best.data.value)}</span>
            <span className="soft">{nameMetric(best.data.metric).toLowerCase()} on</span>
            <span className="row best-network">
              <Mark platform={best.data.platform} />
              {networkName(best.data.platform)}
            </span>
          </p>
        </>
      )}
    </section>
  );
}
