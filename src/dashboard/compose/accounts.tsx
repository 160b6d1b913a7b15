// The accounts that a post goes to: one strip of pictures, with search and saved groups.
import { memo, useState } from "react";
import { Link } from "wouter";
import type { Channel } from "../types.ts";
import { ChannelAvatar, channelName } from "../ui/channel.tsx";
import { Icon } from "../ui/icons.tsx";
import { Empty } from "../ui/states.tsx";
import { nameState } from "../words/states.ts";
import { Alerts } from "./alerts.tsx";
import { ChannelGroups } from "./channel-groups.tsx";
import type { Violation } from "./violations.ts";
import "./accounts.css";

/** With more accounts, the strip shows pictures alone, so that nothing moves when one is chosen. */
const NAMED_MAX = 4;
/** With more accounts, a search field appears. */
const FEW = 8;

interface AccountsProps {
  channels: Channel[];
  chosen: string[];
  violations: Violation[];
  onChange(chosen: string[]): void;
}

/** Chosen accounts first. The order stays while accounts are being chosen, so that none moves away from the pointer. */
function sortChosenFirst(channels: Channel[], first: readonly string[]): Channel[] {
  return channels.toSorted((a, b) => Number(first.includes(b.id)) - Number(first.includes(a.id)));
}

export const Accounts = memo(function Accounts({ channels, chosen, violations, onChange }: AccountsProps) {
  const [first] = useState(chosen);
  const [typed, setTyped] = useState("");
  if (channels.length === 0) {
    return (
      <div className="card">
        <Empty title="No channels yet" icon="link">
          <p>Connect an account, and your post can go out there.</p>
          <Link href="/channels" className="button primary">
            Connect a channel
          </Link>
        </Empty>
      </div>
    );
  }
  const usable = channels.filter(({ state }) => state === "connected");
  const hasAllChosen = usable.length > 0 && usable.every(({ id }) => chosen.includes(id));
  const term = typed.trim().toLowerCase();
  const shown = sortChosenFirst(channels, first).filter(
    (channel) => `${channelName(channel)} ${channel.name}`.toLowerCase().includes(term) || chosen.includes(channel.id),
  );
  const toggle = (id: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, id] : chosen.filter((chosenId) => chosenId !== id));
  return (
    <fieldset className="accounts" data-named={channels.length <= NAMED_MAX}>
      <legend className="visually-hidden">Channels</legend>
      <div className="account-strip">
        {shown.map((channel) => (
          <AccountChoice
            key={channel.id}
            channel={channel}
            isChosen={chosen.includes(channel.id)}
            onChange={(isChosen) => toggle(channel.id, isChosen)}
          />
        ))}
        {shown.length === 0 && <span className="soft">No results</span>}
      </div>
      <div className="account-tools">
        {channels.length > FEW && (
          <span className="account-search">
            <Icon name="search" />
            <input
              type="search"
              aria-label="Search channels"
              placeholder="Search"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          </span>
        )}
        <button
          type="button"
          className="quiet small"
          onClick={() => onChange(hasAllChosen ? [] : usable.map(({ id }) => id))}
        >
          {hasAllChosen ? "Deselect all" : "Select all"}
        </button>
        <ChannelGroups
          chosen={chosen}
          onChoose={(ids) => onChange(ids.filter((id) => channels.some((channel) => channel.id === id)))}
        />
      </div>
      <Alerts violations={violations} channels={channels} />
    </fieldset>
  );
});

interface AccountChoiceProps {
  channel: Channel;
  isChosen: boolean;
  onChange(isChosen: boolean): void;
}

function AccountChoice({ channel, isChosen, onChange }: AccountChoiceProps) {
  const name = channelName(channel);
  const trouble = channel.state === "connected" ? null : nameState(channel.state);
  return (
    <label
      className="account-choice"
      title={trouble === null ? name : `${name}: ${trouble}`}
      data-trouble={trouble !== null}
    >
      <input
        type="checkbox"
        aria-label={trouble === null ? name : `${name}, ${trouble}`}
        checked={isChosen}
        onChange={({ target }) => onChange(target.checked)}
      />
      <ChannelAvatar channel={channel} size="large" />
      <span className="account-tick" aria-hidden="true">
        <Icon name="tick" />
      </span>
      <span className="account-handle" dir="auto">
        {channel.handle}
      </span>
    </label>
  );
}
