// The queue, the next free slot for a draft, and the weekly slots.
import { useState } from "react";
import type { Body } from "../../client/client.ts";
import { networkName } from "../../domain/network-name.ts";
import { useAct, useChannels, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import { Landing, nameOfDraft } from "../slots/landing.tsx";
import { Queue } from "../slots/queue.tsx";
import type { Channel } from "../types.ts";
import { ChannelChoice, useFilters } from "../ui/filters.tsx";
import { useClock } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Found, Refused } from "../ui/states.tsx";
import { AutomationNav } from "../ui/sub-nav.tsx";
import { useSay } from "../ui/toasts.tsx";

type Slot = Body<"slots.set">["slots"][number];
const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

export function Slots() {
  const clock = useClock();
  const slots = useRead(["slots"], async (client, signal) => (await client.call("slots.read", { signal })).body.slots);
  const channels = useChannels();
  return (
    <Page
      title="Queue and slots"
      lead={`The next posts, and the weekly times at which posts can be published. All times are shown in ${clock.zone} time.`}
    >
      <AutomationNav />
      <Found query={channels} what="Your channels">
        {(channels) => (
          <Found query={slots} what="The slots">
            {(slots) => (
              <div className="stack">
                <Coming channels={channels} hasSlots={slots.length > 0} />
                <Week key={JSON.stringify(slots)} slots={slots} channels={channels} />
              </div>
            )}
          </Found>
        )}
      </Found>
    </Page>
  );
}

const DRAFTS = "50";

/** Upcoming posts on a channel, or on all channels. */
function Coming({ channels, hasSlots }: { channels: Channel[]; hasSlots: boolean }) {
  const { filter, set } = useFilters(["channel"]);
  const [landing, setLanding] = useState<string | null>(null);
  const { channel = "" } = filter;
  return (
    <>
      <section className="card" aria-label="Next posts">
        <div className="row apart">
          <h2>Next posts</h2>
          {channels.length > 1 && <ChannelChoice value={channel} onChange={(value) => set("channel", value)} />}
        </div>
        <Queue channel={channel} channels={channels} landing={landing} />
      </section>
      {hasSlots && <NextDraft channel={channel} onLanding={setLanding} />}
    </>
  );
}

function NextDraft({ channel, onLanding }: { channel: string; onLanding(landingAt: string | null): void }) {
  const [chosen, choose] = useState("");
  const drafts = useRead(
    ["posts", "drafts", channel],
    async (client, signal) => {
      const query = { status: "draft", limit: DRAFTS, ...(channel === "" ? {} : { channel }) } as const;
      return (await client.call("posts.list", { query, signal })).body.posts;
    },
    { keep: true },
  );
  return (
    <section className="card" aria-label="A draft's next slot">
      <h2>A draft's next slot</h2>
      <Found query={drafts} what="The drafts">
        {(drafts) => {
          // The chosen draft. Until the user chooses a draft, the newest draft that has a channel.
          const draft =
            drafts.find(({ id }) => id === chosen) ?? drafts.find(({ channels }) => channels.length > 0) ?? drafts[0];
          return draft === undefined ? (
            <Empty title="No drafts" />
          ) : (
            <>
              <label className="field">
                <span>Draft</span>
                <select value={draft.id} onChange={({ target }) => choose(target.value)}>
                  {drafts.map((draftOption) => (
                    <option key={draftOption.id} value={draftOption.id}>
                      {nameOfDraft(draftOption)}
                    </option>
                  ))}
                </select>
              </label>
              <Landing key={draft.id} draft={draft} onLanding={onLanding} />
            </>
          );
        }}
      </Found>
    </section>
  );
}

function Week({ slots, channels }: { slots: Slot[]; channels: Channel[] }) {
  const { whyNot } = useSession();
  const say = useSay();
  const reason = whyNot("manage_slots");
  const [weekday, setWeekday] = useState(1);
  const [time, setTime] = useState("09:30");
  const [channel, setChannel] = useState("");
  const set = useAct(
    async (client, next: Slot[]) => client.call("slots.set", { body: { slots: next } }),
    ["slots", "posts", "dry-run"],
  );
  const channelName = (id: string) => {
    const slotChannel = channels.find((candidate) => candidate.id === id);
    return slotChannel === undefined
      ? "a deleted channel"
      : `${networkName(slotChannel.platform)} ${slotChannel.handle}`;
  };
  return (
    <div className="stack">
      <Refused error={set.error} />
      <section className="card" aria-label="The week">
        <h2>Weekly times</h2>
        {slots.length === 0 ? (
          <Empty title="No slots yet" />
        ) : (
          <ul className="rows">
            {slots.map((slot, i) => (
              <li key={JSON.stringify(slot)} className="row apart">
                <span className="who">
                  {DAYS[slot.weekday - 1]}, {slot.time}
                  <small>{slot.channels === null ? "every channel" : slot.channels.map(channelName).join(", ")}</small>
                </span>
                <button
                  type="button"
                  className="danger"
                  disabled={reason !== null || set.isPending}
                  onClick={() => set.mutate(slots.toSpliced(i, 1), { onSuccess: () => say("Slot removed") })}
                >
                  Remove
                  <span className="visually-hidden">
                    {" "}
                    {DAYS[slot.weekday - 1]}, {slot.time}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section className="card" aria-label="Add a slot">
        <h2>Add a slot</h2>
        {reason !== null && <p className="note">{reason}</p>}
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            const slot = { weekday, time, channels: channel === "" ? null : [channel] };
            set.mutate([...slots, slot], { onSuccess: () => say("Slot added. Existing posts keep their times.") });
          }}
        >
          <div className="pair">
            <label className="field">
              <span>Day</span>
              <select value={weekday} onChange={({ target }) => setWeekday(Number(target.value))}>
                {DAYS.map((day, i) => (
                  <option key={day} value={i + 1}>
                    {day}
                  </option>
                ))}
              </select>
            </label>
            <label className="field">
              <span>Time</span>
              <input type="time" required value={time} onChange={({ target }) => setTime(target.value.slice(0, 5))} />
            </label>
            <label className="field">
              <span>Channel</span>
              <select value={channel} onChange={({ target }) => setChannel(target.value)}>
                <option value="">Every channel</option>
                {channels.map(({ id }) => (
                  <option key={id} value={id}>
                    {channelName(id)}
                  </option>
                ))}
              </select>
            </label>
          </div>
          <div>
            <button type="submit" disabled={reason !== null || set.isPending}>
              Add slot
            </button>
          </div>
        </form>
      </section>
    </div>
  );
}
