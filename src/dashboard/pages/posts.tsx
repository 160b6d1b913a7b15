// All posts, filtered by status, channel, text and time.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { POST_STATUSES } from "../../domain/posts/post.ts";
import { useSession } from "../session.tsx";
import { ChannelChoice, LabelChoice, StatusChoice, useFilters } from "../ui/filters.tsx";
import { Page } from "../ui/page.tsx";
import { PostRows } from "../ui/post-row.tsx";
import { Empty, Loading, Trouble } from "../ui/states.tsx";

const FILTERS = ["status", "channel", "label", "media", "author", "q", "from", "to"] as const;
const PAGE = "25";

export function Posts() {
  const { client, workspace } = useSession();
  const { filter, set, clear } = useFilters(FILTERS);
  const posts = useInfiniteQuery({
    queryKey: [workspace.id, "posts", "list", filter],
    queryFn: async ({ pageParam, signal }) => {
      const input = { query: { ...filter, limit: PAGE, cursor: pageParam }, signal };
      return (await client.call("posts.list", input)).body;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: 15_000,
  });
  const loadedPosts = posts.data?.pages.flatMap((page) => page.posts) ?? [];
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Page
      title="Posts"
      actions={
        <Link href="/compose" className="button primary">
          Compose
        </Link>
      }
    >
      <search className="filters">
        <Words value={filter.q ?? ""} onChange={(value) => set("q", value)} />
        <StatusChoice
          statuses={POST_STATUSES}
          all="All but drafts"
          value={filter.status}
          onChange={(value) => set("status", value)}
        />
        <ChannelChoice value={filter.channel} onChange={(value) => set("channel", value)} />
        <LabelChoice value={filter.label} onChange={(value) => set("label", value)} />
        <label className="field">
          <span>From</span>
          <input type="date" value={filter.from ?? ""} onChange={({ target }) => set("from", target.value)} />
        </label>
        <label className="field">
          <span>Before</span>
          <input type="date" value={filter.to ?? ""} onChange={({ target }) => set("to", target.value)} />
        </label>
      </search>
      {filter.media !== undefined && (
        <p className="note">
          <span>Only posts that use one file.</span>{" "}
          <button type="button" className="link" onClick={() => set("media", "")}>
            Show all
          </button>
        </p>
      )}
      {filter.author !== undefined && (
        <p className="note">
          <span>Only posts that one person, key or application created or changed last.</span>{" "}
          <Link href={`/activity?actor=${filter.author}`}>Their activity</Link>{" "}
          <button type="button" className="link" onClick={() => set("author", "")}>
            Show all
          </button>
        </p>
      )}
      <section className="card" aria-label="Posts found">
        {posts.isPending ? (
          <Loading what="Posts" />
        ) : posts.isError ? (
          <Trouble error={posts.error} again={() => void posts.refetch()} />
        ) : loadedPosts.length === 0 && posts.hasNextPage ? (
          <p className="soft" role="status">
            No recent posts match these filters. There are older posts.
          </p>
        ) : loadedPosts.length === 0 ? (
          <Empty title={isFiltered ? "No posts match these filters" : "No posts yet"}>
            {isFiltered ? (
              <button type="button" onClick={clear}>
                Show all
              </button>
            ) : (
              <Link href="/compose" className="button primary">
                Write your first post
              </Link>
            )}
          </Empty>
        ) : (
          <PostRows posts={loadedPosts} />
        )}
        {posts.hasNextPage && (
          <button type="button" disabled={posts.isFetchingNextPage} onClick={() => void posts.fetchNextPage()}>
            {posts.isFetchingNextPage ? "Searching" : loadedPosts.length === 0 ? "Search older entries" : "Show more"}
          </button>
        )}
      </section>
    </Page>
  );
}

const PAUSE_MS = 350;

function Words({ value, onChange }: { value: string; onChange(value: string): void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onChange(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <label className="field">
      <span>Words</span>
      <input type="search" value={typed} onChange={({ target }) => setTyped(target.value)} />
    </label>
  );
}
