// All posts in a table, with filters that combine and acts on many at once.
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { Link } from "wouter";
import { BulkBar } from "../posts/bulk-bar.tsx";
import { FilterPills } from "../posts/filter-pills.tsx";
import { FILTERS, readPosts, SORTS } from "../posts/read-posts.ts";
import { PostTable } from "../posts/table.tsx";
import { useSession } from "../session.tsx";
import "../posts/posts.css";
import { useFilters } from "../ui/filters.tsx";
import { Page } from "../ui/page.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { Empty, SkeletonRows, Trouble } from "../ui/states.tsx";

const EVERY_MS = 15_000;

export function Posts() {
  const { client, workspace } = useSession();
  const { filter: params, set, clear } = useFilters([...FILTERS, "order"]);
  const { order, ...filter } = params;
  const sort = SORTS.find((candidate) => candidate === order) ?? "newest";
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const posts = useInfiniteQuery({
    queryKey: [workspace.id, "posts", "list", filter, sort],
    queryFn: ({ pageParam, signal }) => readPosts(client, { filter, sort, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
  // Rows are rendered in steps, so that the page stays responsive.
  const pages = useDeferredValue(posts.data?.pages);
  const loadedPosts = pages?.flatMap((page) => page.posts) ?? [];
  const chosenPosts = loadedPosts.filter(({ id }) => selected.has(id));
  const isFiltered = Object.keys(filter).length > 0;
  const select = (ids: string[], isOn: boolean) => {
    const next = new Set(selected);
    for (const id of ids) {
      if (isOn) next.add(id);
      else next.delete(id);
    }
    setSelected(next);
  };
  return (
    <Page
      title="Posts"
      actions={
        <Link href="/compose" className="button primary">
          Compose
        </Link>
      }
    >
      <search className="post-filters">
        <SearchField
          label="Search posts"
          placeholder="Search posts"
          className="post-search"
          value={filter.q ?? ""}
          onChange={(value) => set("q", value)}
        />
        <FilterPills filter={filter} set={set} />
        {filter.author !== undefined && (
          <Link href={`/activity?actor=${filter.author}`} className="button quiet">
            Their activity
          </Link>
        )}
        {isFiltered && (
          <button type="button" className="link" onClick={clear}>
            Clear all
          </button>
        )}
      </search>
      <section className="card post-list" aria-label="Posts found">
        {pages === undefined && !posts.isError ? (
          <SkeletonRows what="Posts" count={10} />
        ) : posts.isError && loadedPosts.length === 0 ? (
          <Trouble error={posts.error} again={() => void posts.refetch()} />
        ) : loadedPosts.length === 0 && posts.hasNextPage ? (
          <p className="soft" role="status">
            No recent posts match these filters.
          </p>
        ) : loadedPosts.length === 0 ? (
          <Nothing isFiltered={isFiltered} isAttention={filter.status === "attention"} onClear={clear} />
        ) : (
          <PostTable
            posts={loadedPosts}
            sort={sort}
            onSort={(next) => set("order", next === "newest" ? "" : next)}
            selected={selected}
            onSelect={select}
          />
        )}
        {posts.hasNextPage && pages !== undefined && (
          <button type="button" disabled={posts.isFetchingNextPage} onClick={() => void posts.fetchNextPage()}>
            {posts.isFetchingNextPage ? "Searching" : loadedPosts.length === 0 ? "Search older posts" : "Show more"}
          </button>
        )}
      </section>
      {chosenPosts.length > 0 && (
        <BulkBar
          posts={chosenPosts}
          onClear={() => setSelected(new Set())}
          onFailures={(failed) => {
            setSelected(new Set(failed.map(({ id }) => id)));
          }}
        />
      )}
    </Page>
  );
}

function Nothing({ isFiltered, isAttention, onClear }: { isFiltered: boolean; isAttention: boolean; onClear(): void }) {
  if (!isFiltered) {
    return (
      <Empty title="No posts yet" icon="list">
        <p>Everything that you write, schedule and publish is listed here.</p>
        <Link href="/compose" className="button primary">
          Write your first post
        </Link>
      </Empty>
    );
  }
  return (
    <Empty title={isAttention ? "Nothing needs attention" : "No posts match these filters"} icon="search">
      <button type="button" onClick={onClear}>
        Show all
      </button>
    </Empty>
  );
}
