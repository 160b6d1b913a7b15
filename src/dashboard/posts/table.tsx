// The table of posts: rows of 56 px with a thumbnail, which can be selected.
import { Link } from "wouter";
import type { Post } from "../types.ts";
import { Icon } from "../ui/icons.tsx";
import { Label, Pill, State, useClock } from "../ui/marks.tsx";
import { PostAvatars } from "../ui/post-accounts.tsx";
import { PostThumb, useFirstFiles } from "../ui/post-thumb.tsx";
import { getPostTitle } from "../ui/post-title.ts";
import type { Sort } from "./read-posts.ts";

interface TableProps {
  posts: Post[];
  sort: Sort;
  onSort(sort: Sort): void;
  selected: ReadonlySet<string>;
  onSelect(ids: string[], isOn: boolean): void;
}

export function PostTable({ posts, sort, onSort, selected, onSelect }: TableProps) {
  const files = useFirstFiles(posts);
  const isAll = posts.every(({ id }) => selected.has(id));
  return (
    <table className="post-table">
      <thead>
        <tr>
          <th className="pick" scope="col">
            <input
              type="checkbox"
              aria-label="Select all"
              checked={isAll}
              onChange={() =>
                onSelect(
                  posts.map(({ id }) => id),
                  !isAll,
                )
              }
            />
          </th>
          <th scope="col">Post</th>
          <th className="on-wide" scope="col">
            Channels
          </th>
          <th className="on-wide" scope="col">
            Status
          </th>
          <th
            className="on-wide"
            scope="col"
            aria-sort={sort === "earliest" ? "ascending" : sort === "latest" ? "descending" : "none"}
          >
            <button
              type="button"
              className="link sort"
              onClick={() => onSort(sort === "latest" ? "earliest" : sort === "earliest" ? "newest" : "latest")}
            >
              Date
              <span className="sort-mark" data-sort={sort}>
                <Icon name={sort === "newest" ? "updown" : "down"} />
              </span>
            </button>
          </th>
        </tr>
      </thead>
      <tbody>
        {posts.map((post) => (
          <tr key={post.id} data-selected={selected.has(post.id)}>
            <td className="pick">
              <input
                type="checkbox"
                aria-label={`Select ${getPostTitle(post)}`}
                checked={selected.has(post.id)}
                onChange={({ target }) => onSelect([post.id], target.checked)}
              />
            </td>
            <td>
              <span className="post-cell">
                <PostThumb post={post} files={files} />
                <span className="list-text">
                  <Link href={`/posts/${post.id}`} dir="auto">
                    {getPostTitle(post)}
                  </Link>
                  <span className="row post-labels">
                    <span className="row on-narrow">
                      <PostState post={post} />
                      {post.due_at !== null && (
                        <small className="soft">
                          <DateWithYear at={post.due_at} />
                        </small>
                      )}
                    </span>
                    {post.labels.map((label) => (
                      <Label key={label} name={label} />
                    ))}
                  </span>
                </span>
              </span>
            </td>
            <td className="on-wide">
              <PostAvatars post={post} />
            </td>
            <td className="on-wide">
              <PostState post={post} />
            </td>
            <td className="on-wide soft numbers date">
              {post.due_at === null ? "No date" : <DateWithYear at={post.due_at} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The state of the post, and whether its network changed or removed it. */
function PostState({ post }: { post: Post }) {
  const isAltered = post.deliveries.some(({ readback }) => readback?.state === "altered");
  const isRemoved = post.deliveries.some(({ status }) => status === "removed");
  return (
    <span className="row states">
      <State of={post.status} />
      {isAltered && <Pill tone="waiting">Changed</Pill>}
      {isRemoved && <Pill tone="waiting">Removed</Pill>}
    </span>
  );
}

function DateWithYear({ at }: { at: string }) {
  const clock = useClock();
  return (
    <time dateTime={at} title={`${clock.exact(at)}, ${clock.zone} time`}>
      {clock.dated(at)}
    </time>
  );
}
