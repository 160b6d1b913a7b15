// The queue, the next free slot for a draft, and the weekly slots.
import { useState } from "react";
import { useChannels, useRead } from "../reads.ts";
import { Landing, nameOfDraft } from "../slots/landing.tsx";
import { Queue } from "../slots/queue.tsx";
import { WeeklySlots } from "../slots/week.tsx";
import type { Slot } from "../slots/weekly.ts";
import type { Channel } from "../types.ts";
import { ChannelChoice, useFilters } from "../ui/filters.tsx";
import { useClock } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { Found } from "../ui/states.tsx";
import { AutomationNav } from "../ui/sub-nav.tsx";

export function Slots() {
  const clock = useClock();
  const slots = useRead(["slots"], async (client, signal) => (await client.call("slots.read", { signal })).body.slots);
  const channels = useChannels();
  return (
    <Page title="Queue and slots" lead={`What goes out next, and your weekly times. In ${clock.zone} time.`}>
      <AutomationNav />
      <Found query={channels} what="Your channels">
        {(channels) => (
          <Found query={slots} what="The slots">
            {(slots) => <Parts slots={slots} channels={channels} />}
          </Found>
        )}
      </Found>
    </Page>
  );
}

/** The queue and the week. Without slots, the week comes first; the order stays when the first slot is added. */
function Parts({ slots, channels }: { slots: Slot[]; channels: Channel[] }) {
  const [isWeekFirst] = useState(slots.length === 0);
  return (
    <div className="stack">
      {isWeekFirst && <WeeklySlots slots={slots} channels={channels} />}
      <Coming channels={channels} hasSlots={slots.length > 0} />
      {!isWeekFirst && <WeeklySlots slots={slots} channels={channels} />}
    </div>
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
            <p className="soft">No drafts. Save one, and this shows when it would go out.</p>
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
