// The filters of the list as pills: a press opens the choice, the cross takes it away again.
import type { ReactNode } from "react";
import { POST_STATUSES } from "../../domain/posts/post.ts";
import { useChannels, useRead } from "../reads.ts";
import { IconButton } from "../ui/button.tsx";
import { ChannelAvatar, channelName } from "../ui/channel.tsx";
import { type Option, SearchList } from "../ui/combobox.tsx";
import { Icon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";
import { ATTENTION, type Filter } from "./read-posts.ts";

interface PillsProps {
  filter: Filter;
  set(name: keyof Filter, value: string): void;
}

export function FilterPills({ filter, set }: PillsProps) {
  const channels = useChannels().data ?? [];
  const labels = useRead(
    ["posts", "labels"],
    async (client, signal) => (await client.call("posts.labels", { query: { limit: "200" }, signal })).body.labels,
  );
  const chosen = channels.find(({ id }) => id === filter.channel);
  const needsAttention = filter.status === ATTENTION;
  return (
    <div className="post-pills">
      <button
        type="button"
        className="pill"
        aria-pressed={needsAttention}
        onClick={() => set("status", needsAttention ? "" : ATTENTION)}
      >
        Needs attention
      </button>
      <ChoicePill
        label="Status"
        value={needsAttention ? undefined : filter.status}
        shown={filter.status === undefined || needsAttention ? null : nameStatus(filter.status)}
        options={POST_STATUSES.map((status) => ({ value: status, name: nameStatus(status) }))}
        onChange={(value) => set("status", value)}
      />
      <ChoicePill
        label="Channel"
        value={filter.channel}
        shown={filter.channel === undefined ? null : chosen === undefined ? "one channel" : channelName(chosen)}
        options={channels.map((channel) => ({
          value: channel.id,
          name: channelName(channel),
          picture: <ChannelAvatar channel={channel} size="small" />,
        }))}
        onChange={(value) => set("channel", value)}
      />
      <ChoicePill
        label="Label"
        value={filter.label}
        shown={filter.label ?? null}
        options={(labels.data ?? []).map(({ name, posts }) => ({ value: name, name, note: String(posts) }))}
        onChange={(value) => set("label", value)}
      />
      <DatePill filter={filter} set={set} />
      {filter.media !== undefined && <FixedPill name="Uses one file" onRemove={() => set("media", "")} />}
      {filter.author !== undefined && <FixedPill name="By one author" onRemove={() => set("author", "")} />}
    </div>
  );
}

const nameStatus = (status: string) => {
  const words =
    status === "published" ? "live" : status === "partially_published" ? "partly live" : status.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function Pill({
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
            {label}
            {shown !== null && (
              <>
                : <span dir="auto">{shown}</span>
              </>
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
    <Pill label={label} shown={shown} onRemove={() => onChange("")}>
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
    </Pill>
  );
}

function DatePill({ filter, set }: PillsProps) {
  const { from, to } = filter;
  const shown =
    from === undefined && to === undefined
      ? null
      : from === undefined
        ? `before ${to}`
        : to === undefined
          ? `from ${from}`
          : `${from} to ${to}`;
  return (
    <Pill
      label="Date"
      shown={shown}
      onRemove={() => {
        set("from", "");
        set("to", "");
      }}
    >
      {() => (
        <div className="stack tight">
          <label className="field">
            <span>From</span>
            <input type="date" value={from ?? ""} onChange={({ target }) => set("from", target.value)} />
          </label>
          <label className="field">
            <span>Before</span>
            <input type="date" value={to ?? ""} onChange={({ target }) => set("to", target.value)} />
          </label>
        </div>
      )}
    </Pill>
  );
}

const FixedPill = ({ name, onRemove }: { name: string; onRemove(): void }) => (
  <span className="pill-pair" data-on>
    <span className="pill">{name}</span>
    <IconButton name={`Remove the filter ${name}`} icon="cross" onClick={onRemove} />
  </span>
);
