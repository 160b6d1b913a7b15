// One account: its state, when its access ends, what is queued for it, and a menu for the rest.
import { useRef, useState } from "react";
import { networkName } from "../../domain/network-name.ts";
import { useAct } from "../reads.ts";
import type { Channel, Rule } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { ChannelAvatar, channelName } from "../ui/channel.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Instant, Pill, State, useClock } from "../ui/marks.tsx";
import { Menu } from "../ui/menu.tsx";
import { useSay } from "../ui/toasts.tsx";
import { ChannelDetails } from "./channel-details.tsx";
import { formatQueue, type Queue } from "./queues.ts";

/** From when on an expiry is a task. */
const SOON_MS = 10 * 86_400_000;

interface ChannelRowProps {
  channel: Channel;
  rule: Rule | undefined;
  /** The posts that are scheduled for it; undefined until they are read. */
  queue: Queue | undefined;
  /** Why the user may not change it, or null. */
  why: string | null;
  onReconnect(): void;
}

export function ChannelRow({ channel, rule, queue, why, onReconnect }: ChannelRowProps) {
  const say = useSay();
  const asking = useRef<HTMLDialogElement>(null);
  const [showsDetails, setShowsDetails] = useState(false);
  const disconnect = useAct(
    async (client, _: null) => client.call("channels.disconnect", { params: { id: channel.id } }),
    ["channels"],
  );
  const { platform, handle, name, state, connected, profile_url: profile } = channel;
  const full = channelName(channel);
  return (
    <li className="channel-row">
      <ChannelAvatar channel={channel} size="large" />
      <span className="who">
        <span className="one-line">
          {networkName(platform)} <bdi>{handle}</bdi>
        </span>
        {name !== null && name !== handle && (
          <small className="one-line" dir="auto">
            {name}
          </small>
        )}
      </span>
      <span className="channel-state">
        <State of={state} />
        {channel.missing_permissions.length > 0 && <Pill tone="waiting">Limited access</Pill>}
      </span>
      <span className="channel-facts">
        <Expiry channel={channel} />
        <small>{formatQueue(queue)}</small>
      </span>
      <span className="channel-acts">
        {state !== "connected" && why === null && (
          <Button size="small" onClick={onReconnect}>
            Reconnect<span className="visually-hidden"> {full}</span>
          </Button>
        )}
        <Menu
          label={`Actions for ${full}`}
          entries={[
            { name: "Reconnect", act: onReconnect, why },
            ...(profile === null
              ? []
              : [{ name: `View on ${networkName(platform)}`, href: profile, isOutside: true, icon: "out" } as const]),
            { name: "Details", act: () => setShowsDetails(true) },
            "line",
            {
              name: "Disconnect",
              icon: "trash",
              isDanger: true,
              act: () => asking.current?.showModal(),
              why: why ?? (connected ? null : "It is not connected."),
            },
          ]}
        />
      </span>
      {showsDetails && <ChannelDetails channel={channel} rule={rule} onClose={() => setShowsDetails(false)} />}
      <Confirm
        dialog={asking}
        question={`Disconnect ${full}?`}
        yes="Disconnect"
        act={disconnect}
        onDone={() => say(`${full} is disconnected`)}
      >
        {queue === undefined || queue.posts === 0
          ? "Crier forgets its access. Published posts stay where they are."
          : `${formatQueue(queue)} will fail unless you reconnect. Published posts stay where they are.`}
      </Confirm>
    </li>
  );
}

function Expiry({ channel: { platform, token_expires_at: ends, waits_until: waits } }: { channel: Channel }) {
  const clock = useClock();
  if (waits !== null) {
    return (
      <small>
        {networkName(platform)} is rate limiting it until <time dateTime={waits}>{clock.time(waits)}</time>
      </small>
    );
  }
  if (ends === null) return null;
  const isSoon = Date.parse(ends) - Date.now() < SOON_MS;
  return (
    <small className={isSoon ? "is-urgent" : undefined}>
      Reconnect by <Instant at={ends} />
    </small>
  );
}
