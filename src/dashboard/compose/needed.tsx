// What the networks require beside a text, for all chosen channels at once.
import type { Channel, Rule } from "../types.ts";
import { ChannelLine, channelName } from "../ui/channel.tsx";
import type { Json } from "../ui/schema.ts";
import type { Draft } from "./draft.ts";
import { hasOptions, Options } from "./options.tsx";
import type { Violation } from "./violations.ts";

interface NeededProps {
  channels: Channel[];
  findRule(platform: string): Rule | undefined;
  draft: Draft;
  violations: Violation[];
  video: string | null;
  onOverride(channel: string, name: string, value: Json | undefined): void;
}

export function Needed({ channels, findRule, draft, violations, video, onOverride }: NeededProps) {
  const entries = channels.flatMap((channel) => {
    const rule = findRule(channel.platform);
    if (rule === undefined) return [];
    const props = {
      ...{ channel, rule, own: draft.overrides[channel.id] ?? {}, video },
      violations: violations.filter(({ channel: id, field = "" }) => id === channel.id || field.includes(channel.id)),
    };
    return hasOptions(props, "required") ? [props] : [];
  });
  if (entries.length === 0) return null;
  return (
    <div className="needed">
      {entries.map((props) => (
        <section key={props.channel.id} aria-label={`${channelName(props.channel)}: required`}>
          <ChannelLine channel={props.channel} size="small" />
          <Options {...props} group="required" onChange={(name, value) => onOverride(props.channel.id, name, value)} />
        </section>
      ))}
    </div>
  );
}
