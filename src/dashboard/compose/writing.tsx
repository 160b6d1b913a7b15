// The text, files and thread that all channels share.
import { useRef } from "react";
import type { Channel, DryRun, Rule } from "../types.ts";
import type { Json } from "../ui/schema.ts";
import { AdaptedFiles } from "../ui/sent-files.tsx";
import { useSay } from "../ui/toasts.tsx";
import { count } from "../words/counts.ts";
import { Alerts } from "./alerts.tsx";
import type { Draft } from "./draft.ts";
import { Files } from "./files.tsx";
import { Needed } from "./needed.tsx";
import { type FilledRoom, findFirstCut, findLeastRoom } from "./rooms.ts";
import { splitText } from "./split.ts";
import { tagDraftText } from "./tagged-draft.ts";
import { insertAtCursor, TextBox } from "./text-box.tsx";
import { TextTools } from "./text-tools.tsx";
import { Thread } from "./thread.tsx";
import type { Uploads } from "./uploads.ts";
import { findSharedSource } from "./use-mentions.ts";
import { locateViolation, type Violation } from "./violations.ts";
import { SHARED_TEXT } from "./writing-focus.ts";

interface WritingProps {
  draft: Draft;
  /** The chosen channels. */
  channels: Channel[];
  findRule(platform: string): Rule | undefined;
  rooms: ReadonlyMap<string, FilledRoom | null>;
  deliveries: DryRun["deliveries"];
  uploads: Uploads;
  violations: Violation[];
  video: string | null;
  whyNotFiles: string | null;
  onChange(changes: Partial<Draft>): void;
  onOverride(channel: string, name: string, value: Json | undefined): void;
  onCrop(id: string): void;
}

export function Writing(props: WritingProps) {
  const { draft, channels, findRule, rooms, deliveries, uploads, violations, whyNotFiles, onChange, onCrop } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const say = useSay();
  const sharing = channels.filter(({ id }) => draft.overrides[id]?.text === undefined);
  const threaded = channels.filter(({ platform }) => findRule(platform)?.thread !== undefined);
  const maxParts = Math.max(0, ...threaded.map(({ platform }) => findRule(platform)?.thread?.max_parts ?? 0));
  const ofText = violations.filter((violation) => locateViolation(violation).at === "text");
  const isThreaded = (channel: string | undefined) => threaded.some(({ id }) => id === channel);
  const measurePart = (text: string) =>
    findLeastRoom(text, threaded, findRule, (written, { id, platform }) =>
      tagDraftText(written, draft, { platform, channel: id, post: null }),
    );
  const addPart = () => {
    const key = crypto.randomUUID();
    onChange({ thread: [...draft.thread, { key, text: "", media: [] }] });
    requestAnimationFrame(() => document.getElementById(`compose-${key}`)?.focus());
  };
  function split() {
    const cursor = field.current?.selectionEnd ?? draft.text.length;
    const [first = "", ...others] = splitText(draft.text, cursor, (text) => measurePart(text)?.cut ?? null);
    if (others.length === 0) return addPart();
    const parts = others.map((text) => ({ key: crypto.randomUUID(), text, media: [] }));
    const { text, thread } = draft;
    onChange({ text: first, thread: [...parts, ...thread] });
    say(`Split into ${count(parts.length + 1, "part")}`, () => onChange({ text, thread }));
  }
  const hasRoom = draft.thread.length < maxParts;
  return (
    <>
      <div className="text-panel" data-thread={draft.thread.length > 0}>
        <TextBox
          id={SHARED_TEXT}
          label="Text"
          placeholder="What do you want to say?"
          field={field}
          value={draft.text}
          cut={findFirstCut(sharing.map(({ id }) => rooms.get(id) ?? null))}
          mentionSource={findSharedSource(channels, findRule)}
          isInvalid={ofText.length > 0}
          onChange={(text) => onChange({ text })}
          onFiles={(files) => uploads.add(files, { of: "post" })}
        />
        <Alerts violations={ofText} channels={channels} />
        {hasRoom && ofText.some(({ code, channel }) => code === "text_too_long" && isThreaded(channel)) && (
          <button type="button" className="link split-offer" onClick={split}>
            Split into a thread
          </button>
        )}
        <Files
          place={{ of: "post" }}
          pointer="/media"
          media={draft.media}
          uploads={uploads}
          violations={violations}
          channels={channels}
          whyNot={whyNotFiles}
          onOrder={(media) => onChange({ media })}
          onCrop={onCrop}
          tools={
            <TextTools
              text={draft.text}
              onInsert={(inserted) => insertAtCursor(field.current, draft.text, inserted, (text) => onChange({ text }))}
              onSplit={threaded.length > 0 && hasRoom ? split : null}
              onAddPart={threaded.length > 0 && hasRoom ? addPart : null}
            />
          }
        >
          {deliveries.map(({ channel, platform, files }) => (
            <AdaptedFiles key={channel} platform={platform} files={files} />
          ))}
        </Files>
      </div>
      <Thread
        {...{ draft, channels, threaded, uploads, violations, whyNotFiles, measurePart, onCrop }}
        onChange={(thread) => onChange({ thread })}
        onOverride={props.onOverride}
      />
      <Needed {...{ channels, findRule, draft, violations }} video={props.video} onOverride={props.onOverride} />
    </>
  );
}
