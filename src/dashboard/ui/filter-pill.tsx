// Filters as pills: a press opens the choice, the cross takes it away again.
import type { ReactNode } from "react";
import { useChannels, useRead } from "../reads.ts";
import { formatNumber } from "../words/counts.ts";
import { nameState } from "../words/states.ts";
import { IconButton } from "./button.tsx";
import { ChannelAvatar, channelName } from "./channel.tsx";
import { type Option, SearchList } from "./combobox.tsx";
import { Icon } from "./icons.tsx";
import { Popover } from "./popover.tsx";
import "./filter-pill.css";

export function FilterPill({
  label,
  shown,
  onRemove,
  children,
}: {
  label: string;
  /** The chosen value; null: none. */
  shown: string | null;
  onRemove(): void;
  children: (close: () => void) => ReactNode;
}) {
  return (
    <span className="pill-pair" data-on={shown !== null}>
      <Popover
        label={shown === null ? label : `${label}: ${shown}`}
        className="pill"
        button={
          <>
            <span className={shown === null ? undefined : "pill-label"}>{shown === null ? label : `${label}: `}</span>
            {shown !== null && (
              <span className="pill-value" dir="auto">
                {shown}
              </span>
            )}
            <Icon name="down" />
          </>
        }
      >
        {children}
      </Popover>
      {shown !== null && <IconButton name={`Remove the filter ${label}`} icon="cross" onClick={onRemove} />}
    </span>
  );
}

function ChoicePill({
  label,
  value,
  shown,
  options,
  onChange,
}: {
  label: string;
  value: string | undefined;
  shown: string | null;
  options: Option[];
  onChange(value: string): void;
}) {
  return (
    <FilterPill label={label} shown={shown} onRemove={() => onChange("")}>
      {(close) => (
        <SearchList
          label={label}
          options={options}
          selected={value ?? null}
          onChoose={(chosen) => {
            close();
            onChange(chosen);
          }}
        />
      )}
    </FilterPill>
  );
}

interface ValueProps {
  value: string | undefined;
  /** An empty value removes the filter. */
  onChange(value: string): void;
}

export const StatusPill = ({ statuses, value, onChange }: ValueProps & { statuses: readonly string[] }) => (
  <ChoicePill
    label="Status"
    value={value}
    shown={value === undefined ? null : nameState(value)}
    options={statuses.map((status) => ({ value: status, name: nameState(status) }))}
    onChange={onChange}
  />
);

export function ChannelPill({ value, onChange }: ValueProps) {
  const channels = useChannels().data ?? [];
  const chosen = channels.find(({ id }) => id === value);
  return (
    <ChoicePill
      label="Channel"
      value={value}
      shown={value === undefined ? null : chosen === undefined ? "one channel" : channelName(chosen)}
      options={channels.map((channel) => ({
        value: channel.id,
        name: channelName(channel),
        picture: <ChannelAvatar channel={channel} size="small" />,
      }))}
      onChange={onChange}
    />
  );
}

export function LabelPill({ value, onChange }: ValueProps) {
  const labels = useRead(
    ["posts", "labels"],
    async (client, signal) => (await client.call("posts.labels", { query: { limit: "200" }, signal })).body.labels,
  );
  return (
    <ChoicePill
      label="Label"
      value={value}
      shown={value ?? null}
      options={(labels.data ?? []).map(({ name, posts }) => ({ value: name, name, note: formatNumber(posts) }))}
      onChange={onChange}
    />
  );
}

export const FixedPill = ({ name, onRemove }: { name: string; onRemove(): void }) => (
  <span className="pill-pair" data-on>
    <span className="pill">{name}</span>
    <IconButton name={`Remove the filter ${name}`} icon="cross" onClick={onRemove} />
  </span>
);
