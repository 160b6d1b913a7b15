// A channel's overrides: its own text, its own files, and whether it gets the thread.

import { networkName } from "../../domain/network-name.ts";
import { useSession } from "../session.tsx";
import type { Channel, Rule } from "../types.ts";
import type { Json } from "../ui/schema.ts";
import { Alerts } from "./alerts.tsx";
import type { Draft } from "./draft.ts";
import { Files } from "./files.tsx";
import { isAboutOption, type OptionsProps } from "./options.tsx";
import type { Uploads } from "./uploads.ts";
import type { Violation } from "./violations.ts";

export function OwnText({ channel, own, text, violations, onChange }: OptionsProps) {
  const isOwn = own.text !== undefined;
  return (
    <div className="stack tight">
      <label className="choice">
        <input
          type="checkbox"
          checked={isOwn}
          onChange={({ target }) => onChange("text", target.checked ? text : undefined)}
        />
        Different text
      </label>
      {isOwn && (
        <label className="field">
          <span>
            Text for {networkName(channel.platform)} {channel.handle}
          </span>
          <textarea rows={4} value={own.text} onChange={({ target }) => onChange("text", target.value)} />
        </label>
      )}
      <Alerts violations={violations.filter((violation) => isAboutOption(violation, channel, "text"))} />
    </div>
  );
}

interface OwnProps {
  channel: Channel;
  draft: Draft;
  onChange(name: string, value: Json | undefined): void;
}

export function OwnFiles({
  channel,
  draft,
  uploads,
  violations,
  onChange,
}: OwnProps & { uploads: Uploads; violations: Violation[] }) {
  const { whyNot } = useSession();
  const ownMedia = draft.overrides[channel.id]?.media;
  return (
    <div className="stack tight">
      <label className="choice">
        <input
          type="checkbox"
          checked={ownMedia !== undefined}
          onChange={({ target }) => onChange("media", target.checked ? draft.media : undefined)}
        />
        Different media
      </label>
      {ownMedia === undefined ? (
        <Alerts violations={violations.filter((violation) => isAboutOption(violation, channel, "media"))} />
      ) : (
        <Files
          place={{ of: "channel", key: channel.id }}
          name={`${networkName(channel.platform)} ${channel.handle}`}
          pointer={`/overrides/${channel.id}/media`}
          media={ownMedia}
          uploads={uploads}
          violations={violations}
          whyNot={whyNot("add_media")}
          onOrder={(media) => onChange("media", media)}
        />
      )}
    </div>
  );
}

/** The choice whether the channel gets the thread. Shown only for channels that support threads. */
export function OwnThread({ channel, rule, draft, onChange }: OwnProps & { rule: Rule }) {
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
