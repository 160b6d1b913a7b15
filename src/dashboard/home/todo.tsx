// The things that need a person, each with its one button: problems, and posts to approve.
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Problem } from "../problems/find-problems.ts";
import { PostLine } from "../problems/post-line.tsx";
import { ProblemRow } from "../problems/problem-row.tsx";
import type { Media, Post } from "../types.ts";
import { Instant } from "../ui/marks.tsx";
import { getPostTitle } from "../ui/post-title.ts";

/** More things are behind links. */
export const SHOWN = 5;

interface TodoProps {
  problems: Problem[];
  /** The posts that wait for this person's approval. */
  waiting: Post[];
  /** Whether there are more problems or waiting posts than these. */
  hasMore: boolean;
  files: ReadonlyMap<string, Media>;
  onPutAside(key: string): void;
}

export function Todo({ problems, waiting, hasMore, files, onPutAside }: TodoProps) {
  const total = problems.length + waiting.length;
  if (total === 0) {
    return (
      <section className="card all-set" aria-label="To do">
        <h2>You're all set.</h2>
        <p className="soft">Nothing failed, and nothing is waiting for you.</p>
      </section>
    );
  }
  // A single further row takes no more room than the link to it.
  const room = total === SHOWN + 1 ? total : SHOWN;
  const shownProblems = problems.slice(0, room);
  const shownPosts = waiting.slice(0, room - shownProblems.length);
  const moreProblems = problems.length - shownProblems.length;
  const morePosts = waiting.length - shownPosts.length;
  return (
    <section className="card" aria-label="To do">
      <h2>{total === 1 ? "1 thing needs you" : `${total}${hasMore ? "+" : ""} things need you`}</h2>
      <ul className="list">
        {shownProblems.map((problem) => (
          <ProblemRow key={problem.key} problem={problem} files={files} onPutAside={() => onPutAside(problem.key)} />
        ))}
        {shownPosts.map((post) => (
          <PostLine key={post.id} post={post} files={files} note={<Waiting post={post} />}>
            <Link href={`/approvals?post=${post.id}`} className="button" aria-label={`Review ${getPostTitle(post)}`}>
              Review
            </Link>
          </PostLine>
        ))}
      </ul>
      {moreProblems + morePosts > 0 && (
        <p className="row more-todo">
          <MoreLink href="/activity" count={moreProblems}>
            in your inbox
          </MoreLink>
          <MoreLink href="/approvals" count={morePosts}>
            to approve
          </MoreLink>
        </p>
      )}
    </section>
  );
}

const MoreLink = ({ href, count, children }: { href: string; count: number; children: ReactNode }) =>
  count > 0 && (
    <Link href={href}>
      {count} more {children}
    </Link>
  );

const Waiting = ({ post }: { post: Post }) => (
  <>
    Waiting for approval
    {post.publish_at !== null && (
      <>
        {" "}
        · planned for <Instant at={post.publish_at} />
      </>
    )}
  </>
);
