// Everything that happens on the channels, as it happens.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Actor } from "../../domain/actor.ts";
import { FEED_EVENTS } from "../../domain/event.ts";
import { networkName } from "../../domain/network-name.ts";
import { useChannels, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import { Mark } from "../ui/channel.tsx";
import { Choice, useFilters } from "../ui/filters.tsx";
import { Instant, State } from "../ui/marks.tsx";
import { Empty, Loading, Trouble } from "../ui/states.tsx";
import { actorWords, eventWords } from "../words/events.ts";
import { labelFailure } from "../words/failures.ts";

/** Often enough to show an event within three seconds. */
const EVERY_MS = 2_000;
const SELDOM_MS = 20_000;
const PAGE = "30";
export function Feed() {
  const { client, workspace } = useSession();
  const { filter, set, clear } = useFilters(["event", "actor"]);
  const channels = useChannels();
  const event = FEED_EVENTS.find((name) => name === filter.event);
  const { actor } = filter;
  const feed = useInfiniteQuery({
    queryKey: [workspace.id, "events", event, actor],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE, cursor: pageParam, event, actor };
      return (await client.call("events.list", { query, signal })).body;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    // A person who has paged far back is reading old events, so polls are rare.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? SELDOM_MS : EVERY_MS),
  });
  const events = feed.data?.pages.flatMap((page) => page.events) ?? [];
  const channelName = (id: string) =>
    channels.data?.find((channel) => channel.id === id)?.handle ?? "a deleted channel";
  return (
    <div className="stack">
      <div className="filters">
        <Choice
          label="Event"
          all="All"
          choices={FEED_EVENTS.map((name) => [name, eventWords(name).label])}
          value={event}
          onChange={(value) => set("event", value)}
        />
        <ActorChoice
          seen={events.flatMap((listedEvent) => listedEvent.actor ?? [])}
          value={actor}
          onChange={(value) => set("actor", value)}
        />
      </div>
      {actor !== undefined && (
        <p className="note">
          <span>Only what one person, key or app did.</span> <Link href={`/posts?author=${actor}`}>Their posts</Link>{" "}
          <Link href={`/posts?author=${actor}&status=draft`}>Their drafts</Link>
        </p>
      )}
      <section className="card" aria-label="Events">
        {feed.isPending ? (
          <Loading what="Events" />
        ) : feed.isError ? (
          <Trouble error={feed.error} again={() => void feed.refetch()} />
        ) : events.length === 0 && feed.hasNextPage ? (
          <p className="soft" role="status">
            No recent events match these filters.
          </p>
        ) : events.length === 0 && (event !== undefined || actor !== undefined) ? (
          <Empty title="No events match these filters">
            <button type="button" onClick={clear}>
              Show all
            </button>
          </Empty>
        ) : events.length === 0 ? (
          <Empty title="No events yet">
            <Link href="/compose" className="button">
              Compose
            </Link>
          </Empty>
        ) : (
          <ol className="rows">
            {events.map((listedEvent) => (
              <li key={listedEvent.id}>
                <div className="row apart">
                  <span className="row">
                    {listedEvent.platform !== null && <Mark platform={listedEvent.platform} />}
                    <span className="who">
                      <span>
                        {eventWords(listedEvent.event).what}{" "}
                        {listedEvent.platform !== null && networkName(listedEvent.platform)}{" "}
                        {listedEvent.channel !== null && channelName(listedEvent.channel)}
                      </span>
                      <small>
                        <Instant at={listedEvent.created_at} />
                        {listedEvent.actor !== null && ` · by ${actorWords(listedEvent.actor)}`}
                        {listedEvent.error !== null && ` · ${labelFailure(listedEvent.error)}`}
                      </small>
                    </span>
                    {listedEvent.channel !== null && <State of={eventWords(listedEvent.event).state} />}
                  </span>
                  {listedEvent.post === null ? (
                    <Link href="/channels">View channel</Link>
                  ) : (
                    <Link href={`/posts/${listedEvent.post}`}>
                      {listedEvent.event === "delivery.failed" ? "Fix it" : "View post"}
                    </Link>
                  )}
                </div>
              </li>
            ))}
          </ol>
        )}
        {feed.hasNextPage && (
          <button type="button" disabled={feed.isFetchingNextPage} onClick={() => void feed.fetchNextPage()}>
            {events.length === 0 ? "Search older entries" : "Show more"}
          </button>
        )}
      </section>
    </div>
  );
}

/** A filter by actor: current people, keys and applications, and former ones that appear in the events. */
function ActorChoice({ seen, ...props }: { seen: Actor[]; value: string | undefined; onChange(value: string): void }) {
  const { workspace, whyNot } = useSession();
  const params = { id: workspace.id };
  const query = { limit: "200" };
  const there = useRead(["actors"], async (client, signal) => {
    const isOwner = whyNot("manage_key") === null;
    const [{ body: people }, { body: apps }, keys] = await Promise.all([
      client.call("members.list", { params, query, signal }),
      client.call("connections.list", { params, query, signal }),
      isOwner ? client.call("keys.list", { params, query, signal }) : null,
    ]);
    return [
      ...people.members.map(({ id, name, email }): Actor => ({ kind: "person", id, name: name ?? email })),
      ...(keys?.body.keys ?? []).map(({ id, name }): Actor => ({ kind: "key", id, name })),
      ...apps.connections.map(({ id, client: { name } }): Actor => ({ kind: "app", id, name })),
    ];
  });
  const names = new Map(
    [...seen, ...(there.data ?? [])].flatMap((actor) => (actor.id === null ? [] : [[actor.id, actor]])),
  );
  const choices = [...names].map(([id, actor]): [string, string] => [id, actorWords(actor)]);
  const { value } = props;
  if (value !== undefined && !names.has(value)) choices.push([value, "A former member"]);
  return <Choice label="By" all="All" choices={choices} {...props} />;
}
