// What happened, as it happens.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { FEED_EVENTS } from "../../domain/event.ts";
import { useChannels } from "../reads.ts";
import { useSession } from "../session.tsx";
import { eventWords } from "../ui/event-words.ts";
import { Instant, Mark, plain, State } from "../ui/marks.tsx";
import { nameOf } from "../ui/networks.ts";
import { Page } from "../ui/page.tsx";
import { Empty, Loading, Trouble } from "../ui/states.tsx";

/** Often enough that an event is there within three seconds. */
const EVERY_MS = 2_000;
const SELDOM_MS = 20_000;
const PAGE = "30";
export function Activity() {
  const { client, workspace } = useSession();
  const [event, setEvent] = useState("");
  const channels = useChannels();
  const filter = FEED_EVENTS.find((name) => name === event);
  const feed = useInfiniteQuery({
    queryKey: [workspace.id, "events", event],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE, cursor: pageParam, event: filter };
      return (await client.call("events.list", { query, signal })).body;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    // Who has gone back far reads, and does not wait for news.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? SELDOM_MS : EVERY_MS),
  });
  const events = feed.data?.pages.flatMap((page) => page.events) ?? [];
  const channelName = (id: string) =>
    channels.data?.find((channel) => channel.id === id)?.handle ?? "a channel that is gone";
  return (
    <Page title="Activity" lead="Events of your channels, as they happen.">
      <div className="filters">
        <label className="field">
          <span>Event</span>
          <select value={event} onChange={({ target }) => setEvent(target.value)}>
            <option value="">All</option>
            {FEED_EVENTS.map((name) => (
              <option key={name} value={name}>
                {plain(name)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <section className="card" aria-label="Events">
        {feed.isPending ? (
          <Loading what="Events" />
        ) : feed.isError ? (
          <Trouble error={feed.error} again={() => void feed.refetch()} />
        ) : events.length === 0 ? (
          <Empty title="Nothing has happened yet">
            <Link href="/compose" className="button">
              Compose
            </Link>
          </Empty>
        ) : (
          <ol className="rows">
            {events.map((one) => (
              <li key={one.id}>
                <div className="row apart">
                  <span className="row">
                    {one.platform !== null && <Mark platform={one.platform} />}
                    <span className="who">
                      <span>
                        {eventWords(one.event).what} {one.platform !== null && nameOf(one.platform)}{" "}
                        {one.channel !== null && channelName(one.channel)}
                      </span>
                      <small>
                        <Instant at={one.created_at} exact />
                        {one.error !== null && ` · ${plain(one.error)}`}
                      </small>
                    </span>
                    <State of={eventWords(one.event).state} />
                  </span>
                  {one.post === null ? (
                    <Link href="/channels">See the channel</Link>
                  ) : (
                    <Link href={`/posts/${one.post}`}>
                      {one.event === "delivery.failed" ? "Mend it" : "See the post"}
                    </Link>
                  )}
                </div>
              </li>
            ))}
          </ol>
        )}
        {feed.hasNextPage && (
          <button type="button" disabled={feed.isFetchingNextPage} onClick={() => void feed.fetchNextPage()}>
            Show more
          </button>
        )}
      </section>
    </Page>
  );
}
