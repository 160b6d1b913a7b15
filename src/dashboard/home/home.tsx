// The first page: the way to the first live post, then what needs the person, today, and last week's best post.
import { Link } from "wouter";
import type { Client } from "../../client/client.ts";
import { useWaiting } from "../approvals/waiting.ts";
import { useProblems } from "../problems/use-problems.ts";
import { useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Post } from "../types.ts";
import { useClock } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { useFirstFiles } from "../ui/post-thumb.tsx";
import { Found, Loading } from "../ui/states.tsx";
import { BestPost } from "./best-post.tsx";
import { Checklist } from "./checklist.tsx";
import "./home.css";
import { Today } from "./today.tsx";
import { SHOWN, Todo } from "./todo.tsx";

const EVERY_MS = 15_000;
/** A day with more posts is shown in part. */
const DAY_LIMIT = "50";

/** The start of a day on a zone's clock, as a date: `2026-12-01`. */
const toDay = (ms: number, timeZone: string) => new Intl.DateTimeFormat("sv-SE", { timeZone }).format(ms);
const DAY_MS = 24 * 3_600_000;
/** The day after, counted on the calendar and not in hours, because days of a zone have 23 to 25 hours. */
const dayAfter = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);

interface Overview {
  today: Post[];
  /** The first post after today; null: there is none. */
  next: Post | null;
  hasDrafts: boolean;
  /** Whether a post has ever been live, at least in part. */
  hasLive: boolean;
  hasPost: boolean;
  now: number;
}

async function readOverview(client: Client, timezone: string, signal: AbortSignal): Promise<Overview> {
  type Query = NonNullable<Parameters<typeof client.call<"posts.list">>[1]>["query"];
  const list = async (query: Query) => (await client.call("posts.list", { query, signal })).body.posts;
  const now = client.now();
  const day = toDay(now, timezone);
  const tomorrow = dayAfter(day);
  const [today, next, live, partly, newest, drafts] = await Promise.all([
    list({ from: day, to: tomorrow, order: "due", limit: DAY_LIMIT }),
    list({ status: "scheduled", from: tomorrow, order: "due", limit: "1" }),
    list({ status: "published", limit: "1" }),
    list({ status: "partially_published", limit: "1" }),
    list({ limit: "1" }),
    list({ status: "draft", limit: "1" }),
  ]);
  return {
    today: today.filter(({ status }) => status !== "cancelled"),
    next: next[0] ?? null,
    hasDrafts: drafts.length > 0,
    hasLive: live.length + partly.length > 0,
    hasPost: newest.length + drafts.length > 0,
    now,
  };
}

export function Home() {
  const { me, workspace } = useSession();
  const clock = useClock();
  const overview = useRead(["posts", "home"], (client, signal) => readOverview(client, workspace.timezone, signal), {
    every: EVERY_MS,
  });
  return (
    <Page
      title={me.user.name === null ? "Welcome" : `Welcome, ${me.user.name}`}
      lead={
        <>
          <bdi>{workspace.name}</bdi> · {clock.zone} time
        </>
      }
      actions={
        <Link href="/compose" className="button primary">
          Compose
        </Link>
      }
    >
      {overview.isPending && overview.fetchStatus === "fetching" ? (
        <HomeSkeleton />
      ) : (
        <Found query={overview} what="Your posts">
          {(data) => <Content overview={data} />}
        </Found>
      )}
    </Page>
  );
}

/** As high as the page that is about to come. */
const HomeSkeleton = () => (
  <Loading what="Your posts" className="home">
    <div className="card home-wait" />
    <div className="card home-wait" />
  </Loading>
);

function Content({ overview }: { overview: Overview }) {
  const { today, next, hasDrafts, now, hasLive, hasPost } = overview;
  const { whyNot } = useSession();
  const { problems, hasMore, putAside } = useProblems();
  const wait = useWaiting().data;
  const waiting = wait?.posts ?? [];
  const toApprove = whyNot("publish") === null ? waiting : [];
  const files = useFirstFiles([
    ...today,
    ...(next === null ? [] : [next]),
    ...problems.slice(0, SHOWN + 1).flatMap((problem) => (problem.kind === "reconnect" ? [] : [problem.post])),
    ...toApprove.slice(0, SHOWN + 1),
  ]);
  const todo = (
    <Todo
      problems={problems}
      waiting={toApprove}
      hasMore={hasMore || (wait !== undefined && wait.next !== null)}
      files={files}
      onPutAside={putAside}
    />
  );
  const day = (
    <Today posts={today} next={next} waiting={waiting.length} hasDrafts={hasDrafts} now={now} files={files} />
  );
  if (!hasLive) {
    return (
      <div className="stack">
        <Checklist hasPost={hasPost} />
        {problems.length + toApprove.length > 0 && todo}
        {(today.length > 0 || next !== null || waiting.length > 0) && day}
      </div>
    );
  }
  return (
    <div className="home">
      <div className="stack">
        {todo}
        <BestPost />
      </div>
      {day}
    </div>
  );
}
