// Today's posts along the day, or the next one if nothing is planned for today.
import { Link } from "wouter";
import type { Media, Post } from "../types.ts";
import { Instant, Stamp, State, useClock } from "../ui/marks.tsx";
import { PostAvatars } from "../ui/post-accounts.tsx";
import { PostThumb } from "../ui/post-thumb.tsx";
import { getPostTitle } from "../ui/post-title.ts";

const SHOWN = 12;
/** The accounts shown for a post; the others are counted. */
const MOMENT_AVATARS = 3;

interface TodayProps {
  /** Today's posts, the earliest first. */
  posts: Post[];
  /** The next post after today; null: there is none. */
  next: Post | null;
  /** How many posts wait for approval. */
  waiting: number;
  hasDrafts: boolean;
  now: number;
  files: ReadonlyMap<string, Media>;
}

export function Today({ posts, next, waiting, hasDrafts, now, files }: TodayProps) {
  const clock = useClock();
  const nowIndex = posts.findIndex(({ due_at: due }) => due !== null && Date.parse(due) > now);
  const hidden = posts.length - SHOWN;
  // On a full day the posts around the present are shown.
  const first = hidden <= 0 ? 0 : Math.min(hidden, Math.max(0, (nowIndex === -1 ? posts.length : nowIndex) - 4));
  return (
    <section className="card today" aria-label="Today">
      <div className="row apart">
        <h2>
          Today <span className="soft">{clock.day(new Date(now).toISOString())}</span>
        </h2>
        <Link href="/calendar">Calendar</Link>
      </div>
      {posts.length > 0 && (
        <ol className="day-line">
          {posts.slice(first, first + SHOWN).map((post, i) => (
            <Moment key={post.id} post={post} files={files} isNext={first + i === nowIndex} />
          ))}
        </ol>
      )}
      {hidden > 0 && <p className="soft">{hidden} more today are in the calendar.</p>}
      <After posts={posts} next={next} waiting={waiting} hasDrafts={hasDrafts} files={files} />
    </section>
  );
}

function Moment({ post, files, isNext }: { post: Post; files: ReadonlyMap<string, Media>; isNext: boolean }) {
  const clock = useClock();
  const verified = post.deliveries.flatMap(({ checked_at: at }) => (at === null ? [] : [at])).sort();
  const [stamp] = verified;
  return (
    <li className="list-row" data-next={isNext}>
      <time className="moment numbers" dateTime={post.due_at ?? undefined}>
        {post.due_at === null ? "" : clock.time(post.due_at)}
      </time>
      <PostThumb post={post} files={files} />
      <span className="list-text">
        <Link href={`/posts/${post.id}`} dir="auto">
          {getPostTitle(post)}
        </Link>
        <PostAvatars post={post} shown={MOMENT_AVATARS} />
      </span>
      <span className="moment-state">
        {post.status === "published" && stamp !== undefined ? (
          <Stamp word="Verified" at={stamp} />
        ) : (
          <State of={post.status} />
        )}
      </span>
    </li>
  );
}

/** What comes after today. It never says that nothing is planned while something is. */
function After({ posts, next, waiting, hasDrafts, files }: Omit<TodayProps, "now">) {
  if (next !== null) {
    return (
      <div className="stack tight">
        {posts.length === 0 && <p className="soft">Nothing is planned for today.</p>}
        <h3>Next</h3>
        <ul className="list">
          <li className="list-row">
            <PostThumb post={next} files={files} />
            <span className="list-text">
              <Link href={`/posts/${next.id}`} dir="auto">
                {getPostTitle(next)}
              </Link>
              <small className="soft">{next.due_at !== null && <Instant at={next.due_at} />}</small>
            </span>
            <PostAvatars post={next} shown={MOMENT_AVATARS} />
          </li>
        </ul>
      </div>
    );
  }
  if (posts.length > 0) return null;
  if (waiting > 0) {
    return (
      <p className="soft">
        Nothing is planned for today.{" "}
        <Link href="/approvals">{waiting === 1 ? "One post waits" : `${waiting} posts wait`} for approval</Link>.
      </p>
    );
  }
  return (
    <div className="row apart">
      <p className="soft">
        {hasDrafts ? (
          <>
            Nothing is planned for today. <Link href="/posts?status=draft">Your drafts</Link> have no time yet.
          </>
        ) : (
          "Nothing is scheduled yet."
        )}
      </p>
      <Link href="/compose" className="button">
        Write a post
      </Link>
    </div>
  );
}
