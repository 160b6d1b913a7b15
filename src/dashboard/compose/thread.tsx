// The further parts of a thread, as boxes that hang together, and the channels that do not get them.
import type { Channel } from "../types.ts";
import { channelName } from "../ui/channel.tsx";
import { Icon } from "../ui/icons.tsx";
import type { Json } from "../ui/schema.ts";
import { useSay } from "../ui/toasts.tsx";
import { Alerts } from "./alerts.tsx";
import { type Draft, moved, type Part } from "./draft.ts";
import { Files } from "./files.tsx";
import type { Measured } from "./measure.ts";
import { TextBox } from "./text-box.tsx";
import type { Uploads } from "./uploads.ts";
import { exactlyAt, type Violation } from "./violations.ts";
import "./thread.css";

interface ThreadProps {
  draft: Draft;
  /** The chosen channels. */
  channels: Channel[];
  /** Those of them whose network has threads. */
  threaded: Channel[];
  uploads: Uploads;
  violations: Violation[];
  whyNotFiles: string | null;
  /** A part's length on the network with the least room; null: not known. */
  measurePart(text: string): (Measured & { limit: number }) | null;
  onChange(thread: Part[]): void;
  onOverride(channel: string, name: string, value: Json | undefined): void;
  onCrop(id: string): void;
}

export function Thread(props: ThreadProps) {
  const { draft, channels, threaded, uploads, violations, whyNotFiles, measurePart, onChange, onOverride, onCrop } =
    props;
  const say = useSay();
  const { thread } = draft;
  if (thread.length === 0) return null;
  const otherChannels = channels.filter((channel) => !threaded.includes(channel));
  // The post itself is the first part.
  const count = thread.length + 1;
  const change = (i: number, patch: Partial<Part>) =>
    onChange(thread.map((threadPart, place) => (place === i ? { ...threadPart, ...patch } : threadPart)));
  const move = (from: number, to: number) => {
    onChange(moved(thread, from, to));
    say(`Part ${from + 2} is now part ${to + 2} of ${count}`);
  };
  const remove = (i: number) => {
    onChange(thread.toSpliced(i, 1));
    say(`Part ${i + 2} removed`, () => onChange(thread));
  };
  return (
    <section className="thread" aria-label="Thread">
      <Alerts
        violations={exactlyAt(violations, "/thread").filter(
          ({ channel }) => !otherChannels.some(({ id }) => id === channel),
        )}
        channels={channels}
      />
      {otherChannels.map((channel) => (
        <FirstPartAlone key={channel.id} channel={channel} own={draft.overrides[channel.id]} onChange={onOverride} />
      ))}
      <ol className="parts">
        {thread.map(({ key, text, media }, i) => {
          const name = `part ${i + 2}`;
          const measured = measurePart(text);
          return (
            <li key={key} className="part" data-part-key={key}>
              <TextBox
                id={`compose-${key}`}
                label={`Text of ${name}`}
                rows={2}
                value={text}
                cut={measured?.cut ?? null}
                isInvalid={exactlyAt(violations, `/thread/${i}/text`).length > 0}
                onChange={(changed) => change(i, { text: changed })}
                onFiles={(files) => uploads.add(files, { of: "part", key })}
              />
              <Alerts violations={exactlyAt(violations, `/thread/${i}/text`)} channels={channels} />
              <div className="part-tools">
                <Files
                  place={{ of: "part", key }}
                  name={name}
                  pointer={`/thread/${i}/media`}
                  media={media}
                  uploads={uploads}
                  violations={violations}
                  channels={channels}
                  whyNot={whyNotFiles}
                  onOrder={(order) => change(i, { media: order })}
                  onCrop={onCrop}
                />
                <span className="part-buttons">
                  {measured !== null && (
                    <span className="numbers soft" data-over={measured.length > measured.limit}>
                      {measured.length} / {measured.limit}
                    </span>
                  )}
                  <PartButton name={`Move ${name} up`} icon="up" isDisabled={i === 0} onPress={() => move(i, i - 1)} />
                  <PartButton
                    name={`Move ${name} down`}
                    icon="down"
                    isDisabled={i === thread.length - 1}
                    onPress={() => move(i, i + 1)}
                  />
                  <PartButton name={`Remove ${name}`} icon="cross" isDisabled={false} onPress={() => remove(i)} />
                </span>
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

interface PartButtonProps {
  name: string;
  icon: "up" | "down" | "cross";
  isDisabled: boolean;
  onPress(): void;
}
const PartButton = ({ name, icon, isDisabled, onPress }: PartButtonProps) => (
  <button
    type="button"
    className="quiet icon-button"
    aria-label={name}
    title={name}
    disabled={isDisabled}
    onClick={onPress}
  >
    <Icon name={icon} />
  </button>
);

/** For a channel whose network has no threads: it gets only the first post, once the user has confirmed that. */
function FirstPartAlone({
  channel,
  own,
  onChange,
}: {
  channel: Channel;
  own: Draft["overrides"][string] | undefined;
  onChange(channel: string, name: string, value: Json | undefined): void;
}) {
  const isAlone = own?.thread !== undefined && own.thread.length === 0;
  return (
    <p className={isAlone ? "soft row" : "note small-alert row"} role={isAlone ? undefined : "alert"}>
      <span>
        {channelName(channel)} {isAlone ? "gets only the first part." : "doesn't have threads."}
      </span>
      <button type="button" className="link" onClick={() => onChange(channel.id, "thread", isAlone ? undefined : [])}>
        {isAlone ? "Undo" : "Only post the first part"}
        <span className="visually-hidden"> for {channelName(channel)}</span>
      </button>
    </p>
  );
}
