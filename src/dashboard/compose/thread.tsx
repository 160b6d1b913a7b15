// The further parts of a thread, each a reply to the one before, and the channels that do not get them.

import { useRef } from "react";
import { networkName } from "../../domain/network-name.ts";
import type { Channel, Rule } from "../types.ts";
import type { Json } from "../ui/schema.ts";
import { useSay } from "../ui/toasts.tsx";
import { Alerts } from "./alerts.tsx";
import { type Draft, moved, type Part } from "./draft.ts";
import { Files } from "./files.tsx";
import type { Uploads } from "./uploads.ts";
import { exactlyAt, type Violation } from "./violations.ts";

export function Thread({
  draft,
  channels,
  ruleOf,
  uploads,
  violations,
  whyNotFiles,
  onChange,
  onOverride,
}: {
  draft: Draft;
  /** The chosen channels. */
  channels: Channel[];
  ruleOf(platform: string): Rule | undefined;
  uploads: Uploads;
  violations: Violation[];
  whyNotFiles: string | null;
  onChange(thread: Part[]): void;
  onOverride(channel: string, name: string, value: Json | undefined): void;
}) {
  const say = useSay();
  /** The part that was just added; its text gets the focus. */
  const added = useRef<string | null>(null);
  const { thread } = draft;
  const takes = channels.filter(({ platform }) => ruleOf(platform)?.thread !== undefined);
  const max = Math.max(0, ...takes.map(({ platform }) => ruleOf(platform)?.thread?.max_parts ?? 0));
  if (takes.length === 0 && thread.length === 0) return null;
  const otherChannels = channels.filter((channel) => !takes.includes(channel));
  // The post itself is the first part.
  const count = thread.length + 1;
  const change = (i: number, patch: Partial<Part>) =>
    onChange(thread.map((threadPart, place) => (place === i ? { ...threadPart, ...patch } : threadPart)));
  const move = (from: number, to: number) => {
    onChange(moved(thread, from, to));
    say(`Part ${from + 2} is now part ${to + 2} of ${count}`);
  };
  return (
    <section className="card" aria-label="Thread">
      <h2>Thread</h2>
      <p className="soft">
        {thread.length === 0
          ? `Continue on ${listNetworks(takes)} with more parts, each a reply to the one before.`
          : `${count} parts. The first is the text above.`}
      </p>
      <Alerts
        violations={exactlyAt(violations, "/thread").filter(
          ({ channel }) => !otherChannels.some(({ id }) => id === channel),
        )}
        channels={channels}
      />
      {thread.length > 0 &&
        otherChannels.map((channel) => (
          <FirstPartAlone key={channel.id} channel={channel} own={draft.overrides[channel.id]} onChange={onOverride} />
        ))}
      <ol className="parts">
        {thread.map(({ key, text, media }, i) => {
          const name = `part ${i + 2}`;
          return (
            <li key={key} className="stack tight nested">
              <label className="field">
                <span>Text of {name}</span>
                <textarea
                  ref={(field) => {
                    if (field === null || key !== added.current) return;
                    added.current = null;
                    field.focus();
                  }}
                  rows={3}
                  value={text}
                  aria-invalid={exactlyAt(violations, `/thread/${i}/text`).length > 0}
                  onChange={({ target }) => change(i, { text: target.value })}
                  onPaste={({ clipboardData }) => {
                    if (clipboardData.files.length > 0) uploads.add(clipboardData.files, { of: "part", key });
                  }}
                />
              </label>
              <Alerts violations={exactlyAt(violations, `/thread/${i}/text`)} channels={channels} />
              <Files
                place={{ of: "part", key }}
                name={name}
                pointer={`/thread/${i}/media`}
                media={media}
                uploads={uploads}
                violations={violations}
                channels={channels}
                whyNot={whyNotFiles}
                onOrder={(media) => change(i, { media })}
              />
              <div className="row">
                <button type="button" className="small" disabled={i === 0} onClick={() => move(i, i - 1)}>
                  Move {name} up
                </button>
                <button
                  type="button"
                  className="small"
                  disabled={i === thread.length - 1}
                  onClick={() => move(i, i + 1)}
                >
                  Move {name} down
                </button>
                <button
                  type="button"
                  className="small"
                  onClick={() => {
                    onChange(thread.toSpliced(i, 1));
                    say(`Part ${i + 2} removed`, () => onChange(thread));
                  }}
                >
                  Remove {name}
                </button>
              </div>
            </li>
          );
        })}
      </ol>
      <div>
        <button
          type="button"
          disabled={thread.length >= max}
          onClick={() => {
            const newPart = { key: crypto.randomUUID(), text: "", media: [] };
            added.current = newPart.key;
            onChange([...thread, newPart]);
          }}
        >
          Add a part
        </button>
      </div>
    </section>
  );
}

/** For a channel whose network has no threads: it gets only the first post, once the user has confirmed that. */
function FirstPartAlone({
  channel: { id, platform, handle },
  own,
  onChange,
}: {
  channel: Channel;
  own: Draft["overrides"][string] | undefined;
  onChange(channel: string, name: string, value: Json | undefined): void;
}) {
  const isAlone = own?.thread !== undefined && own.thread.length === 0;
  return (
    <p className={isAlone ? "soft row" : "note"} role={isAlone ? undefined : "alert"}>
      <span>
        {networkName(platform)} {handle} {isAlone ? "gets only the first part." : "doesn't have threads."}
      </span>
      <button type="button" className="link" onClick={() => onChange(id, "thread", isAlone ? undefined : [])}>
        {isAlone ? "Undo" : "Only post the first part"}
        <span className="visually-hidden">
          {" "}
          for {networkName(platform)} {handle}
        </span>
      </button>
    </p>
  );
}

const LIST = new Intl.ListFormat("en");
const listNetworks = (channels: Channel[]) =>
  LIST.format([...new Set(channels.map(({ platform }) => networkName(platform)))]);
