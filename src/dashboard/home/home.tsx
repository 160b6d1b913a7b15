// The first page: the way to the first live post, then what needs the person, today, and last week's best post.
import { Link } from "wouter";
import type { Client } from "../../client/client.ts";
import { useWaiting } from "../approvals/waiting.ts";
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
import { readAtRisk, useNeeds, WEEK_MS } from "./needs.ts";
import { Today } from "./today.tsx";
import { Todo } from "./todo.tsx";

const EVERY_MS = 10_000;
/** More failed posts than these are behind a link. */
const LIMIT = "20";
/** A day with more posts is shown in part. */
const DAY_LIMIT = "50";

/** The start of a day on a zone's clock, as a date: `2026-12-01`. */
const toDay = (ms: number, timeZone: string) => new Intl.DateTimeFormat("sv-SE", { timeZone }).format(ms);
const DAY_MS = 24 * 3_600_000;
/** The day after, counted on the calendar and not in hours, because days of a zone have 23 to 25 hours. */
const dayAfter = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);

interface Overview {
  failed: Post[];
  atRisk: Post[];
  today: Post[];
  next: Post | null;
  drafts: number;
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
  const [failed, partly, today, next, live, drafts] = await Promise.all([
    list({ status: "failed", limit: LIMIT }),
    list({ status: "partially_published", limit: LIMIT }),
    list({ from: day, to: tomorrow, order: "due", limit: DAY_LIMIT }),
    list({ status: "scheduled", order: "due", limit: LIMIT }),
    list({ status: "published", limit: "1" }),
    list({ status: "draft", limit: "1" }),
  ]);
  const since = new Date(now - WEEK_MS).toISOString();
  const todayIds = new Set(today.map(({ id }) => id));
  const planned = next.filter(({ id, due_at: due }) => !todayIds.has(id) && due !== null && Date.parse(due) > now);
  return {
    failed: [...failed, ...partly].filter(({ updated_at }) => updated_at > since),
    atRisk: await readAtRisk(client, next, signal),
    today: today.filter(({ status }) => status !== "cancelled"),
    next: planned[0] ?? null,
    drafts: drafts.length,
    hasLive: live.length + partly.length > 0,
    hasPost: [failed, partly, today, next, live, drafts].some((posts) => posts.length > 0),
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
  const { failed, atRisk, today, next, drafts, now, hasLive, hasPost } = overview;
  const { needs, putAside, hasMoreWaiting } = useNeeds({ failed, atRisk });
  const waiting = useWaiting().data?.posts.length ?? 0;
  const files = useFirstFiles([
    ...today,
    ...(next === null ? [] : [next]),
    ...needs.flatMap((need) => (need.kind === "reconnect" ? [] : [need.post])),
  ]);
  const todo = <Todo needs={needs} hasMore={hasMoreWaiting} files={files} onPutAside={putAside} />;
  const day = <Today posts={today} next={next} waiting={waiting} drafts={drafts} now={now} files={files} />;
  if (!hasLive) {
    return (
      <div className="stack">
        <Checklist hasPost={hasPost || waiting > 0} />
        {needs.length > 0 && todo}
        {(today.length > 0 || next !== null || waiting > 0) && day}
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
