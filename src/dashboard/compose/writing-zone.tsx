// The side of the editor where the post is written: a tab for what all channels share, and one for each channel.
import { useSession } from "../session.tsx";
import type { Channel, Post, Rule } from "../types.ts";
import { ChannelPanel } from "./channel-panel.tsx";
import { Details } from "./details.tsx";
import { type Draft, withOverride } from "./draft.ts";
import { ALL, NetworkTabs } from "./network-tabs.tsx";
import type { Uploads } from "./uploads.ts";
import type { useChecks } from "./use-checks.ts";
import type { useEditing } from "./use-editing.ts";
import { Writing } from "./writing.tsx";

interface WritingZoneProps {
  /** All channels of the workspace. */
  channels: Channel[];
  chosen: Channel[];
  /** The channel whose tab is open; null: the tab of all channels. */
  active: Channel | null;
  /** The edited post. */
  kept: Post | undefined;
  editing: ReturnType<typeof useEditing>;
  checks: ReturnType<typeof useChecks>;
  uploads: Uploads;
  /** The address of the post's video. */
  video: string | null;
  findRule(platform: string): Rule | undefined;
  onSelect(tab: string, isPointed: boolean): void;
  onCrop(file: string): void;
}

/** The channels that have a text, files, thread or options of their own. */
const findCustomized = ({ overrides }: Draft): ReadonlySet<string> =>
  new Set(Object.entries(overrides).flatMap(([id, own]) => (Object.keys(own).length === 0 ? [] : [id])));

export function WritingZone(props: WritingZoneProps) {
  const { channels, chosen, active, kept, editing, checks, uploads, video, findRule, onSelect, onCrop } = props;
  const { whyNot } = useSession();
  const { draft, setDraft, change } = editing;
  const { rooms, violations } = checks;
  const override = (channel: string, name: string, value: Parameters<typeof withOverride>[3]) =>
    setDraft((now) => withOverride(now, channel, name, value));
  const activeRule = active === null ? undefined : findRule(active.platform);
  return (
    <NetworkTabs
      channels={chosen}
      rooms={rooms}
      customized={findCustomized(draft)}
      selected={active?.id ?? ALL}
      onSelect={onSelect}
    >
      {active !== null && activeRule !== undefined ? (
        <ChannelPanel
          key={active.id}
          channel={active}
          rule={activeRule}
          draft={draft}
          measured={rooms.get(active.id) ?? null}
          uploads={uploads}
          violations={violations}
          video={video}
          onChange={(name, value) => override(active.id, name, value)}
          onCrop={onCrop}
        />
      ) : (
        <>
          <Writing
            {...{ draft, findRule, rooms, uploads, violations, video, onCrop }}
            channels={chosen}
            deliveries={checks.isJudged ? (checks.judgement?.deliveries ?? []) : []}
            whyNotFiles={whyNot("add_media")}
            onChange={change}
            onOverride={override}
          />
          <Details
            draft={draft}
            types={[...new Set(chosen.flatMap(({ platform }) => findRule(platform)?.post_types ?? []))]}
            hasPolls={chosen.some(({ platform }) => findRule(platform)?.poll !== undefined)}
            kept={kept}
            channels={channels}
            violations={violations}
            onChange={change}
          />
        </>
      )}
    </NetworkTabs>
  );
}
