// The preview of one channel at a time, and below it everything that has to be solved.
import { useState } from "react";
import { Link } from "wouter";
import type { Channel, Rule } from "../types.ts";
import { ChannelAvatar, channelName } from "../ui/channel.tsx";
import { useClock } from "../ui/marks.tsx";
import { AdaptedFiles } from "../ui/sent-files.tsx";
import { Empty } from "../ui/states.tsx";
import { describeWarning } from "../words/warnings.ts";
import { Problems } from "./alerts.tsx";
import type { Draft } from "./draft.ts";
import type { Judgement } from "./judge.ts";
import { Preview } from "./preview.tsx";
import type { Violation } from "./violations.ts";
import "./preview-zone.css";

interface PreviewZoneProps {
  channels: Channel[];
  /** The channel whose tab is open; null: the tab of all channels. */
  active: Channel | null;
  draft: Draft;
  judgement: Judgement | null;
  /** Whether the judgement is about this draft. */
  isCurrent: boolean;
  violations: Violation[];
  /** The id of the edited post, which is no duplicate of itself. */
  edited: string | undefined;
  findRule(platform: string): Rule | undefined;
}

export function PreviewZone(props: PreviewZoneProps) {
  const { channels, active, draft, judgement, isCurrent, violations, edited, findRule } = props;
  const [picked, pick] = useState<string | null>(null);
  const clock = useClock();
  const shown = active ?? channels.find(({ id }) => id === picked) ?? channels[0];
  if (shown === undefined) {
    return (
      <Empty title="Choose where to post" icon="pen">
        <p>Your post appears here as each network will show it.</p>
      </Empty>
    );
  }
  const delivery = judgement?.deliveries.find(({ channel }) => channel === shown.id);
  const warnings =
    judgement?.warnings.filter(
      ({ channel = shown.id, post }) => channel === shown.id && (post === undefined || post !== edited),
    ) ?? [];
  return (
    <>
      {active === null && channels.length > 1 && (
        <fieldset className="preview-picker" aria-label="Preview">
          {channels.map((channel) => (
            <button
              key={channel.id}
              type="button"
              className="quiet"
              title={channelName(channel)}
              aria-label={`Preview on ${channelName(channel)}`}
              aria-pressed={channel.id === shown.id}
              data-broken={violations.some((violation) => violation.channel === channel.id)}
              onClick={() => pick(channel.id)}
            >
              <ChannelAvatar channel={channel} size="small" />
            </button>
          ))}
        </fieldset>
      )}
      <section className="preview-card" aria-label={channelName(shown)}>
        <Preview
          channel={shown}
          rule={findRule(shown.platform)}
          draft={draft}
          delivery={delivery}
          isCurrent={isCurrent}
        />
        {active !== null && delivery !== undefined && <AdaptedFiles platform={shown.platform} files={delivery.files} />}
      </section>
      <Problems
        violations={
          active === null ? violations : violations.filter(({ channel = active.id }) => channel === active.id)
        }
        channels={channels}
        findRule={findRule}
      />
      {warnings.map((warning) => (
        <p key={`${warning.code} ${warning.part}`} className="note small-alert">
          <span>
            {describeWarning(warning, { platform: shown.platform, clock })}{" "}
            {warning.post !== undefined && <Link href={`/posts/${warning.post}`}>View post</Link>}
          </span>
        </p>
      ))}
    </>
  );
}
