// The filters of the list of posts.
import { POST_STATUSES } from "../../domain/posts/post.ts";
import { ChannelPill, FilterPill, FixedPill, LabelPill, StatusPill } from "../ui/filter-pill.tsx";
import { ATTENTION, type Filter } from "./read-posts.ts";

interface PillsProps {
  filter: Filter;
  set(name: keyof Filter, value: string): void;
}

export function FilterPills({ filter, set }: PillsProps) {
  const needsAttention = filter.status === ATTENTION;
  return (
    <div className="filter-pills">
      <button
        type="button"
        className="pill"
        aria-pressed={needsAttention}
        onClick={() => set("status", needsAttention ? "" : ATTENTION)}
      >
        Needs attention
      </button>
      <StatusPill
        statuses={POST_STATUSES}
        value={needsAttention ? undefined : filter.status}
        onChange={(value) => set("status", value)}
      />
      <ChannelPill value={filter.channel} onChange={(value) => set("channel", value)} />
      <LabelPill value={filter.label} onChange={(value) => set("label", value)} />
      <DatePill filter={filter} set={set} />
      {filter.media !== undefined && <FixedPill name="Uses one file" onRemove={() => set("media", "")} />}
      {filter.author !== undefined && <FixedPill name="By one author" onRemove={() => set("author", "")} />}
    </div>
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
    <FilterPill
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
    </FilterPill>
  );
}
