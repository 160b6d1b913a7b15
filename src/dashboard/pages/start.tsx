// The start page: problems to solve, next posts, recent posts, and news.
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Client } from "../../client/client.ts";
import { Refusal } from "../../client/errors.ts";
import { networkName } from "../../domain/network-name.ts";
import { useWaiting } from "../approvals/waiting.ts";
import { useChannels, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Post } from "../types.ts";
import { ChannelAvatar } from "../ui/channel.tsx";
import { eventWords } from "../ui/event-words.ts";
import { Instant, useClock } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { PostRow, PostRows } from "../ui/post-row.tsx";
import { Empty, Found } from "../ui/states.tsx";

const EVERY_MS = 10_000;
const LIMIT = "6";
const WAITING_SHOWN = 3;
const WEEK_MS = 7 * 24 * 3_600_000;

/** How many posts at risk are read, with one call each. */
const AT_RISK_MAX = 10;
const DAY_MS = 24 * 3_600_000;

/** Upcoming posts that would have failed according to a check within the last day, the next one first. */
async function readAtRisk(client: Client, knownPosts: Post[], signal: AbortSignal): Promise<Post[]> {
  const { body } = await client.call("events.list", { query: { event: "delivery.at_risk", limit: "50" }, signal });
  const since = new Date(client.now() - DAY_MS).toISOString();
  const ids = new Set(
    body.events.flatMap(({ post, created_at }) => (post === null || created_at < since ? [] : [post])),
  );
  const posts = await Promise.all(
    [...ids].slice(0, AT_RISK_MAX).map(async (id) => {
      const knownPost = knownPosts.find((candidate) => candidate.id === id);
      if (knownPost !== undefined) return knownPost;
      try {
        return (await client.call("posts.get", { params: { id }, signal })).body;
      } catch (error) {
        // The post was discarded meanwhile.
        if (error instanceof Refusal && error.status === 404) return null;
        throw error;
      }
    }),
  );
  return posts
    .flatMap((post) => (post?.status === "scheduled" ? [post] : []))
    .sort((first, second) => (first.due_at ?? "").localeCompare(second.due_at ?? ""));
}

export function Start() {
  const { me, workspace, whyNot } = useSession();
  const clock = useClock();
  const posts = useRead(
    ["posts", "start"],
    async (client, signal) => {
      const list = async (query: Parameters<typeof client.call<"posts.list">>[1]) =>
        (await client.call("posts.list", { ...query, signal })).body.posts;
      const since = new Date(client.now() - WEEK_MS).toISOString();
      const [failed, partly, next, live] = await Promise.all([
        list({ query: { status: "failed", limit: LIMIT } }),
        list({ query: { status: "partially_published", limit: LIMIT } }),
        list({ query: { status: "scheduled", order: "due", limit: LIMIT } }),
        list({ query: { status: "published", limit: LIMIT } }),
      ]);
      const recent = [...failed, ...partly].filter(({ updated_at }) => updated_at > since);
      return { failed: recent, next, live, atRisk: await readAtRisk(client, next, signal) };
    },
    { every: EVERY_MS },
  );
  const wait = useWaiting().data;
  const waiting = whyNot("publish") === null ? (wait?.posts ?? []) : [];
  const channels = useChannels();
  const ending = (channels.data ?? []).filter(
    ({ state, token_expires_at: end }) =>
      state === "needs_reconnect" || (end !== null && Date.parse(end) - Date.now() < WEEK_MS),
  );
  return (
    <Page
      title={me.user.name === null ? "Welcome" : `Welcome, ${me.user.name}`}
      lead={`${workspace.name}. Times are shown in ${clock.zone} time.`}
      actions={
        <Link href="/compose" className="button primary">
          Compose
        </Link>
      }
    >
      <Found query={posts} what="Your posts">
        {({ failed, next, live, atRisk }) => (
          <div className="stack">
            <Tile
              title="Needs you"
              count={failed.length + atRisk.length + ending.length + waiting.length}
              more={waiting.length > 0 && <Link href="/approvals">Review waiting posts</Link>}
            >
              {failed.length + atRisk.length + ending.length + waiting.length === 0 ? (
                <p className="soft">Nothing. All planned posts can be published.</p>
              ) : (
                <ul className="rows">
                  {ending.map((channel) => (
                    <li key={channel.id}>
                      <div className="row">
                        <ChannelAvatar channel={channel} />
                        <span className="who">
                          <Link href="/channels">
                            Reconnect {networkName(channel.platform)} {channel.handle}
                          </Link>
                          <small>
                            {channel.token_expires_at === null ? (
                              "Its access has expired."
                            ) : (
                              <>
                                Its access expires <Instant at={channel.token_expires_at} />.
                              </>
                            )}
                          </small>
                        </span>
                      </div>
                    </li>
                  ))}
                  {atRisk.map((post) => (
                    <li key={post.id}>
                      <PostRow post={post} />
                      <small className="soft">It will fail unless you fix it. Open it to see why.</small>
                    </li>
                  ))}
                  {failed.map((post) => (
                    <li key={post.id}>
                      <PostRow post={post} />
                    </li>
                  ))}
                  {waiting.slice(0, WAITING_SHOWN).map((post) => (
                    <li key={post.id}>
                      <PostRow post={post} />
                    </li>
                  ))}
                  {waiting.length > WAITING_SHOWN && (
                    <li>
                      <Link href="/approvals">
                        {waiting.length - WAITING_SHOWN}
                        {wait?.next === null ? "" : " or more"} others are waiting for approval
                      </Link>
                    </li>
                  )}
                </ul>
              )}
            </Tile>
            <div className="tiles">
              <Tile title="Next" more={<Link href="/posts?status=scheduled">All scheduled posts</Link>}>
                {next.length === 0 ? (
                  <Empty title="Nothing is scheduled">
                    <Link href="/compose" className="button">
                      Plan a post
                    </Link>
                  </Empty>
                ) : (
                  <PostRows posts={next} />
                )}
              </Tile>
              <Tile title="Went live" more={<Link href="/posts?status=published">All published posts</Link>}>
                {live.length === 0 ? <Empty title="Nothing published yet" /> : <PostRows posts={live} />}
              </Tile>
              <News />
            </div>
          </div>
        )}
      </Found>
    </Page>
  );
}

const NEWS = 5;
/** Live and waiting posts are listed elsewhere on the page, and retries need no attention. */
const NO_NEWS = ["delivery.succeeded", "delivery.retrying", "post.approval_requested"];

/** Recent events. */
function News() {
  const channels = useChannels().data ?? [];
  const events = useRead(
    ["events", "start"],
    async (client, signal) => (await client.call("events.list", { query: { limit: "50" }, signal })).body.events,
    { every: EVERY_MS },
  );
  const findHandle = (id: string) => channels.find((channel) => channel.id === id)?.handle ?? "a deleted channel";
  return (
    <Tile title="News" more={<Link href="/activity">All activity</Link>}>
      <Found query={events} what="News">
        {(events) => {
          const news = events.filter(({ event }) => !NO_NEWS.includes(event)).slice(0, NEWS);
          return news.length === 0 ? (
            <Empty title="Nothing new" />
          ) : (
            <ul className="rows">
              {news.map(({ id, event, platform, channel, post, approval, created_at }) => (
                <li key={id} className="who">
                  <Link href={post === null ? "/channels" : `/posts/${post}`}>
                    {eventWords(event).what} {platform !== null && networkName(platform)}{" "}
                    {channel !== null && findHandle(channel)}
                  </Link>
                  <small>
                    <Instant at={created_at} />
                    {approval !== null && approval.by !== null && ` · ${approval.by}`}
                  </small>
                </li>
              ))}
            </ul>
          );
        }}
      </Found>
    </Tile>
  );
}

function Tile({
  title,
  count = 0,
  more,
  children,
}: {
  title: string;
  count?: number;
  more?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="card" aria-label={title}>
      <div className="row apart">
        <h2>
          {title}{" "}
          {count > 0 && (
            <span className="state" data-tone="failed">
              {count}
            </span>
          )}
        </h2>
        {more}
      </div>
      {children}
    </section>
  );
}
