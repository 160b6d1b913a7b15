// One channel's own text, files and options.
import { networkName } from "../../domain/network-name.ts";
import { useSession } from "../session.tsx";
import type { Channel, Rule } from "../types.ts";
import { channelName } from "../ui/channel.tsx";
import type { Json } from "../ui/schema.ts";
import { Alerts } from "./alerts.tsx";
import type { Draft, Override } from "./draft.ts";
import { Files } from "./files.tsx";
import type { Measured } from "./measure.ts";
import { hasOptions, isAboutOption, Options } from "./options.tsx";
import { OwnTime } from "./own-time.tsx";
import { insertAtCursor, TextBox } from "./text-box.tsx";
import { TextTools } from "./text-tools.tsx";
import type { Uploads } from "./uploads.ts";
import { findMentionSource } from "./use-mentions.ts";
import type { Violation } from "./violations.ts";
import { toTextId } from "./writing-focus.ts";

interface ChannelPanelProps {
  channel: Channel;
  rule: Rule;
  draft: Draft;
  /** The length of the channel's text; null: not known. */
  measured: Measured | null;
  uploads: Uploads;
  violations: Violation[];
  video: string | null;
  onChange(name: string, value: Json | undefined): void;
  onCrop(id: string): void;
}

export function ChannelPanel(props: ChannelPanelProps) {
  const { channel, rule, draft, measured, uploads, violations, video, onChange, onCrop } = props;
  const name = channelName(channel);
  const network = networkName(channel.platform);
  const own: Override = draft.overrides[channel.id] ?? {};
  const text = own.text ?? draft.text;
  const fieldId = toTextId(channel.id);
  const about = (option: string) => violations.filter((violation) => isAboutOption(violation, channel, option));
  const ofText = violations.filter(({ field, channel: id }) => field === "/text" && id === channel.id);
  const options = { channel, rule, own, violations, video, onChange };
  const getField = () => {
    const field = document.getElementById(fieldId);
    return field instanceof HTMLTextAreaElement ? field : null;
  };
  return (
    <>
      <div className="text-panel">
        <TextBox
          id={fieldId}
          label={`Text for ${name}`}
          placeholder={`Write your post for ${network}`}
          value={text}
          cut={measured?.cut ?? null}
          mentionSource={findMentionSource(channel, rule)}
          isInvalid={about("text").length + ofText.length > 0}
          onChange={(changed) => onChange("text", changed)}
          onFiles={(files) =>
            uploads.add(files, own.media === undefined ? { of: "post" } : { of: "channel", key: channel.id })
          }
        />
        <div className="text-foot">
          <TextTools
            text={text}
            onInsert={(inserted) => insertAtCursor(getField(), text, inserted, (changed) => onChange("text", changed))}
            onSplit={null}
            onAddPart={null}
          />
          <span className="soft own-state">
            {own.text === undefined ? (
              `This is the text from All. Edit it to customize it for ${network}.`
            ) : (
              <>
                Customized for {network}.{" "}
                <button type="button" className="link" onClick={() => onChange("text", undefined)}>
                  Use the text from All
                </button>
              </>
            )}
          </span>
        </div>
        <Alerts violations={[...ofText, ...about("text")]} />
      </div>
      <section className="network-options" aria-label={`Customize for ${name}`}>
        <h2>Customize for {network}</h2>
        <OwnFiles {...{ channel, draft, uploads, violations, onChange, onCrop }} />
        <OwnThread {...{ channel, rule, draft, onChange }} />
        <OwnTime {...{ channel, draft, violations, onChange }} />
      </section>
      <section className="network-options" aria-label={`Options for ${name}`}>
        <h2>{network} options</h2>
        <Options {...options} group="required" />
        <Options {...options} group="panel" />
        {hasOptions(options, "more") && (
          <details>
            <summary>More options</summary>
            <Options {...options} group="more" />
          </details>
        )}
      </section>
    </>
  );
}

interface OwnProps {
  channel: Channel;
  draft: Draft;
  onChange(name: string, value: Json | undefined): void;
}

function OwnFiles({
  channel,
  draft,
  uploads,
  violations,
  onChange,
  onCrop,
}: OwnProps & { uploads: Uploads; violations: Violation[]; onCrop(id: string): void }) {
  const { whyNot } = useSession();
  const ownMedia = draft.overrides[channel.id]?.media;
  const isOwn = ownMedia !== undefined;
  return (
    <div className="stack tight">
      <label className="choice">
        <input
          type="checkbox"
          checked={isOwn}
          onChange={({ target }) => onChange("media", target.checked ? draft.media : undefined)}
        />
        Different media
      </label>
      {isOwn ? (
        <Files
          place={{ of: "channel", key: channel.id }}
          name={channelName(channel)}
          pointer={`/overrides/${channel.id}/media`}
          media={ownMedia}
          uploads={uploads}
          violations={violations}
          whyNot={whyNot("add_media")}
          onOrder={(media) => onChange("media", media)}
          onCrop={onCrop}
        />
      ) : (
        <Alerts violations={violations.filter((violation) => isAboutOption(violation, channel, "media"))} />
      )}
    </div>
  );
}

/** The choice whether the channel gets the thread. Shown only for channels that support threads. */
function OwnThread({ channel, rule, draft, onChange }: OwnProps & { rule: Rule }) {
  const ownThread = draft.overrides[channel.id]?.thread;
  if (rule.thread === undefined || (draft.thread.length === 0 && ownThread === undefined)) return null;
  return (
    <label className="choice">
      <input
        type="checkbox"
        checked={ownThread !== undefined}
        onChange={({ target }) => onChange("thread", target.checked ? [] : undefined)}
      />
      {ownThread === undefined || ownThread.length === 0 ? "Only post the first part" : "Different parts"}
    </label>
  );
}
