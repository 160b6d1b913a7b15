// All posts, found by what they are, where they go, what they say and when.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { POST_STATUSES } from "../../domain/posts/post.ts";
import { useChannels, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import { plain } from "../ui/marks.tsx";
import { nameOf } from "../ui/networks.ts";
import { Page } from "../ui/page.tsx";
import { PostRows } from "../ui/post-row.tsx";
import { Empty, Loading, Trouble } from "../ui/states.tsx";

const FILTERS = ["status", "channel", "label", "q", "from", "to"] as const;
type Filter = (typeof FILTERS)[number];
const PAGE = "25";

export function Posts() {
  const { client, workspace } = useSession();
  const [query, setQuery] = useSearchParams();
  const channels = useChannels();
  const labels = useRead(["posts", "labels"], async (client, signal) => {
    return (await client.call("posts.labels", { query: { limit: "200" }, signal })).body.labels;
  });
  const filter: Partial<Record<Filter, string>> = {};
  for (const name of FILTERS) {
    const value = query.get(name);
    if (value !== null && value !== "") filter[name] = value;
  }
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
  const set = (name: Filter, value: string) =>
    setQuery(
      (now) => {
        const next = new URLSearchParams(now);
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const found = posts.data?.pages.flatMap((page) => page.posts) ?? [];
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
        <label className="field">
          <span>Status</span>
          <select value={filter.status ?? ""} onChange={({ target }) => set("status", target.value)}>
            <option value="">All but drafts</option>
            {POST_STATUSES.map((status) => (
              <option key={status} value={status}>
                {plain(status)}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Channel</span>
          <select value={filter.channel ?? ""} onChange={({ target }) => set("channel", target.value)}>
            <option value="">All</option>
            {channels.data?.map(({ id, platform, handle }) => (
              <option key={id} value={id}>
                {nameOf(platform)} {handle}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Label</span>
          <select value={filter.label ?? ""} onChange={({ target }) => set("label", target.value)}>
            <option value="">All</option>
            {labels.data?.map(({ name, posts }) => (
              <option key={name} value={name}>
                {name} ({posts})
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>From</span>
          <input type="date" value={filter.from ?? ""} onChange={({ target }) => set("from", target.value)} />
        </label>
        <label className="field">
          <span>Before</span>
          <input type="date" value={filter.to ?? ""} onChange={({ target }) => set("to", target.value)} />
        </label>
      </search>
      <section className="card" aria-label="Posts found">
        {posts.isPending ? (
          <Loading what="Posts" />
        ) : posts.isError ? (
          <Trouble error={posts.error} again={() => void posts.refetch()} />
        ) : found.length === 0 && !posts.hasNextPage ? (
          <Empty title={isFiltered ? "No post is like this" : "No post yet"}>
            {isFiltered ? (
              <button type="button" onClick={() => setQuery(new URLSearchParams())}>
                Show all
              </button>
            ) : (
              <Link href="/compose" className="button primary">
                Write the first one
              </Link>
            )}
          </Empty>
        ) : (
          <PostRows posts={found} />
        )}
        {posts.hasNextPage && (
          <button type="button" disabled={posts.isFetchingNextPage} onClick={() => void posts.fetchNextPage()}>
            {posts.isFetchingNextPage ? "Looking" : "Show more"}
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
    if (typed === value) return;
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
