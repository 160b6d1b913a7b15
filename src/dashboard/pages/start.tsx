// What needs a person, what goes out next, what went live.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useChannels, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import { Instant, Mark, useClock } from "../ui/marks.tsx";
import { nameOf } from "../ui/networks.ts";
import { Page } from "../ui/page.tsx";
import { PostRow, PostRows } from "../ui/post-row.tsx";
import { Empty, Found } from "../ui/states.tsx";

const EVERY_MS = 10_000;
const LIMIT = "6";
const WEEK_MS = 7 * 24 * 3_600_000;

export function Start() {
  const { me, workspace } = useSession();
  const clock = useClock();
  const posts = useRead(
    ["posts", "start"],
    async (client, signal) => {
      const list = async (query: Parameters<typeof client.call<"posts.list">>[1]) =>
        (await client.call("posts.list", { ...query, signal })).body.posts;
      const since = new Date(client.now() - WEEK_MS).toISOString();
      const [failed, partly, next, live, risks] = await Promise.all([
        list({ query: { status: "failed", limit: LIMIT } }),
        list({ query: { status: "partially_published", limit: LIMIT } }),
        list({ query: { status: "scheduled", order: "due", limit: LIMIT } }),
        list({ query: { status: "published", limit: LIMIT } }),
        client.call("events.list", { query: { event: "delivery.at_risk", limit: "50" }, signal }),
      ]);
      const risky = new Set(risks.body.events.flatMap(({ post }) => (post === null ? [] : [post])));
      const recent = [...failed, ...partly].filter(({ updated_at }) => updated_at > since);
      return { failed: recent, next, live, atRisk: next.filter(({ id }) => risky.has(id)) };
    },
    { every: EVERY_MS },
  );
  const channels = useChannels();
  const ending = (channels.data ?? []).filter(
    ({ state, token_expires_at: end }) =>
      state === "needs_reconnect" || (end !== null && Date.parse(end) - Date.now() < WEEK_MS),
  );
  return (
    <Page
      title={me.user.name === null ? "Welcome" : `Welcome, ${me.user.name}`}
      lead={`${workspace.name}. Times are on the clock of ${clock.zone}.`}
      actions={
        <Link href="/compose" className="button primary">
          Compose
        </Link>
      }
      wide
    >
      <Found query={posts} what="Your posts">
        {({ failed, next, live, atRisk }) => (
          <div className="stack">
            <Tile title="Needs you" count={failed.length + atRisk.length + ending.length}>
              {failed.length + atRisk.length + ending.length === 0 ? (
                <p className="soft">Nothing. All that is planned can go out as things are.</p>
              ) : (
                <ul className="rows">
                  {ending.map((channel) => (
                    <li key={channel.id}>
                      <div className="row">
                        <Mark platform={channel.platform} />
                        <span className="who">
                          <Link href="/channels">
                            Reconnect {nameOf(channel.platform)} {channel.handle}
                          </Link>
                          <small>
                            {channel.token_expires_at === null ? (
                              "Its access has ended."
                            ) : (
                              <>
                                Its access ends <Instant at={channel.token_expires_at} />.
                              </>
                            )}
                          </small>
                        </span>
                      </div>
                    </li>
                  ))}
                  {[...atRisk, ...failed].map((post) => (
                    <li key={post.id}>
                      <PostRow post={post} />
                    </li>
                  ))}
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
                {live.length === 0 ? <Empty title="Nothing yet" /> : <PostRows posts={live} />}
              </Tile>
            </div>
          </div>
        )}
      </Found>
    </Page>
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
            <span className="state" data-tone="bad">
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
