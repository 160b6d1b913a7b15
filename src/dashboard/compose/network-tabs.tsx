// The tabs of the editor: all channels, and each of them, with the room that its text fills.
import type { ReactNode } from "react";
import { networkName } from "../../domain/network-name.ts";
import type { Channel } from "../types.ts";
import { channelName } from "../ui/channel.tsx";
import { Tabs } from "../ui/choices.tsx";
import { Left, Ring, RoomWords } from "./ring.tsx";
import type { FilledRoom } from "./rooms.ts";
import "./network-tabs.css";

export const ALL = "all";
/** With more channels, only the selected tab shows its name. */
const NAMED_MAX = 5;

interface NetworkTabsProps {
  channels: Channel[];
  rooms: ReadonlyMap<string, FilledRoom | null>;
  /** The channels that have something of their own. */
  customized: ReadonlySet<string>;
  selected: string;
  onSelect(tab: string, isPointed: boolean): void;
  children: ReactNode;
}

export function NetworkTabs({ channels, rooms, customized, selected, onSelect, children }: NetworkTabsProps) {
  const isRepeated = (channel: Channel) =>
    channels.some(({ id, platform }) => id !== channel.id && platform === channel.platform);
  const isCrowded = channels.length > NAMED_MAX;
  const tabs = channels.map((channel) => {
    const room = rooms.get(channel.id) ?? null;
    const name = isRepeated(channel) ? channelName(channel) : networkName(channel.platform);
    return {
      id: channel.id,
      name: (
        <span className="network-tab" title={channelName(channel)}>
          <Ring platform={channel.platform} room={room} />
          <span className={isCrowded && channel.id !== selected ? "visually-hidden" : undefined}>{name}</span>
          <RoomWords room={room} />
          <Left room={room} />
          {customized.has(channel.id) && (
            <span className="customized" title="Customized">
              <span className="visually-hidden">, customized</span>
            </span>
          )}
        </span>
      ),
    };
  });
  return (
    <div className="network-tabs">
      <Tabs label="Networks" tabs={[{ id: ALL, name: "All" }, ...tabs]} selected={selected} onSelect={onSelect}>
        {children}
      </Tabs>
    </div>
  );
}
