// Feeds whose new items become drafts or posts.
import { useRef, useState } from "react";
import { Link } from "wouter";
import type { Answer } from "../../../client/client.ts";
import { FEED_TEMPLATE_DEFAULT } from "../../../domain/feeds/template.ts";
import { FEED_TEMPLATE_LENGTH_MAX } from "../../../domain/limits.ts";
import { NEXT_SLOT } from "../../../domain/next-slot.ts";
import { useAct, useChannels, useRead } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { ActForm } from "../../ui/act-form.tsx";
import { Card } from "../../ui/card.tsx";
import { channelName } from "../../ui/channel.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Field } from "../../ui/field.tsx";
import { Instant } from "../../ui/marks.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Empty, Found, Refused } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";
import { FEED_PROBLEM_WORDS } from "../../words/feeds.ts";

type Feed = Answer<"feeds.list">["feeds"][number];

/** What becomes of a new item. */
const OUTCOMES = {
  draft: { name: "Draft to look at", body: { draft: true, publish_at: null } },
  slot: { name: "Post in the next free slot", body: { draft: false, publish_at: NEXT_SLOT } },
  now: { name: "Post at once", body: { draft: false, publish_at: null } },
} as const;
type Outcome = keyof typeof OUTCOMES;
const isOutcome = (value: string): value is Outcome => Object.hasOwn(OUTCOMES, value);
const outcomeOf = ({ draft, publish_at: at }: Feed): Outcome => (draft ? "draft" : at === null ? "now" : "slot");

/** How often a feed is read, in minutes. */
const INTERVALS = [
  [15, "Every 15 minutes"],
  [60, "Every hour"],
  [360, "Every 6 hours"],
  [1_440, "Every day"],
] as const;

export function Feeds() {
  const { whyNot } = useSession();
  const why = whyNot("manage_feeds");
  const feeds = useRead(
    ["feeds"],
    async (client, signal) => (await client.call("feeds.list", { query: { limit: "200" }, signal })).body.feeds,
  );
  return (
    <div className="stack">
      <Found query={feeds} what="The feeds">
        {(known) =>
          known.length === 0 ? (
            <div className="card">
              <Empty title="No feeds yet" icon="spark">
                <p>Each new article of a blog, podcast or shop can become a post by itself.</p>
              </Empty>
            </div>
          ) : (
            known.map((feed) => <FeedCard key={feed.id} feed={feed} why={why} />)
          )
        }
      </Found>
      <NewFeed why={why} />
    </div>
  );
}

function FeedCard({ feed, why }: { feed: Feed; why: string | null }) {
  const say = useSay();
  const channels = useChannels();
  const asking = useRef<HTMLDialogElement>(null);
  const params = { id: feed.id };
  const change = useAct(
    async (client, body: { paused: boolean }) => client.call("feeds.change", { params, body }),
    ["feeds"],
  );
  const remove = useAct(async (client, _: null) => client.call("feeds.remove", { params }), ["feeds"]);
  const names = (channels.data ?? []).filter(({ id }) => feed.channels.includes(id)).map(channelName);
  return (
    <section className="card" aria-label={feed.name}>
      <div className="row apart">
        <span className="who">
          <bdi>{feed.name}</bdi>
          <small>{feed.url}</small>
        </span>
        <Menu
          label={`More for ${feed.name}`}
          entries={[
            {
              name: feed.paused ? "Resume" : "Pause",
              icon: "clock",
              why,
              act: () => change.mutate({ paused: !feed.paused }),
            },
            "line",
            { name: "Delete", icon: "trash", isDanger: true, why, act: () => asking.current?.showModal() },
          ]}
        />
      </div>
      <p className="soft">
        {OUTCOMES[outcomeOf(feed)].name}
        {names.length > 0 && <> on {names.join(", ")}</>}. {feed.posts === 1 ? "1 item" : `${feed.posts} items`} so far.{" "}
        {feed.next_read_at === null ? (
          "Paused."
        ) : (
          <>
            Next check <Instant at={feed.next_read_at} />.
          </>
        )}
      </p>
      {feed.problem !== null && (
        <p className="note">
          {FEED_PROBLEM_WORDS[feed.problem.code]}{" "}
          {feed.problem.code === "kept_as_draft" && <Link href="/posts?status=draft">Open drafts</Link>}
          {feed.problem.code === "maker_gone" && why === null && (
            <button type="button" disabled={change.isPending} onClick={() => change.mutate({ paused: false })}>
              Take it over
            </button>
          )}
        </p>
      )}
      <Refused error={change.error} />
      <Confirm
        dialog={asking}
        question={`Delete ${feed.name}?`}
        yes="Delete feed"
        act={remove}
        onDone={() => say("Feed deleted")}
      >
        New items make no more posts. The posts that it made stay.
      </Confirm>
    </section>
  );
}

function NewFeed({ why }: { why: string | null }) {
  const channels = useChannels();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  return (
    <Card title="Add a feed" lead="Items that it has now make no posts. Each later one makes exactly one.">
      <ActForm
        act={async (client, form) => {
          const outcome = form("outcome");
          const body = {
            url: form("url"),
            channels: [...chosen],
            template: form("template"),
            interval_minutes: Number(form("interval")),
            ...OUTCOMES[isOutcome(outcome) ? outcome : "draft"].body,
          };
          return (await client.call("feeds.create", { body })).body;
        }}
        changes={["feeds"]}
        done="Feed added"
        button="Add feed"
        why={why}
        onDone={() => setChosen([])}
      >
        <Field label="Address of the feed" name="url" type="url" required placeholder="https://" />
        <fieldset className="event-choices">
          <legend>Channels</legend>
          {(channels.data ?? []).map((channel) => (
            <label key={channel.id} className="choice">
              <input
                type="checkbox"
                checked={chosen.includes(channel.id)}
                onChange={({ target }) =>
                  setChosen(target.checked ? [...chosen, channel.id] : chosen.filter((id) => id !== channel.id))
                }
              />
              <span>{channelName(channel)}</span>
            </label>
          ))}
        </fieldset>
        <label className="field">
          <span>Text of each post</span>
          <textarea
            name="template"
            rows={3}
            required
            dir="auto"
            defaultValue={FEED_TEMPLATE_DEFAULT}
            maxLength={FEED_TEMPLATE_LENGTH_MAX}
          />
          <small>{"{title}, {link}, {summary} and {author} are filled in."}</small>
        </label>
        <label className="field">
          <span>Each new item becomes a</span>
          <select name="outcome" defaultValue="draft">
            {Object.entries(OUTCOMES).map(([value, { name }]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Check for new items</span>
          <select name="interval" defaultValue="60">
            {INTERVALS.map(([minutes, name]) => (
              <option key={minutes} value={minutes}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </ActForm>
    </Card>
  );
}
