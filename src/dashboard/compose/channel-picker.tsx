// The channels of a post.
import { Link } from "wouter";
import type { Channel } from "../types.ts";
import { ChannelLine, channelName } from "../ui/channel.tsx";
import { State } from "../ui/marks.tsx";
import { Empty } from "../ui/states.tsx";
import { Alerts } from "./alerts.tsx";
import type { Violation } from "./violations.ts";

export function ChannelPicker({
  channels,
  chosen,
  violations,
  onChange,
}: {
  channels: Channel[];
  chosen: string[];
  violations: Violation[];
  onChange(chosen: string[]): void;
}) {
  if (channels.length === 0) {
    return (
      <div className="card">
        <Empty title="No channels yet">
          <Link href="/channels" className="button primary">
            Connect a channel
          </Link>
        </Empty>
      </div>
    );
  }
  const usable = channels.filter(({ state }) => state === "connected");
  const hasAllChosen = usable.length > 0 && usable.every(({ id }) => chosen.includes(id));
  return (
    <fieldset className="card">
      <legend className="visually-hidden">Channels</legend>
      <div className="row apart">
        <span className="heading" aria-hidden="true">
          Channels
        </span>
        <button type="button" className="link" onClick={() => onChange(hasAllChosen ? [] : usable.map(({ id }) => id))}>
          {hasAllChosen ? "Deselect all" : "Select all"}
        </button>
      </div>
      <div className="channel-grid">
        {channels.map((channel) => (
          <label key={channel.id} className="channel-choice">
            <input
              type="checkbox"
              aria-label={channelName(channel)}
              checked={chosen.includes(channel.id)}
              onChange={({ target }) =>
                onChange(
                  target.checked ? [...chosen, channel.id] : chosen.filter((chosenId) => chosenId !== channel.id),
                )
              }
            />
            <ChannelLine channel={channel} />
            {channel.state !== "connected" && <State of={channel.state} />}
          </label>
        ))}
      </div>
      <Alerts violations={violations} channels={channels} />
    </fieldset>
  );
}
