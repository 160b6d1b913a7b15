// One channel of a post: exactly what it would publish, its problems, and its overrides.
import { useState } from "react";
import { networkName } from "../../domain/network-name.ts";
import type { Channel, DryRun, Rule } from "../types.ts";
import { ChannelAvatar } from "../ui/channel.tsx";
import { useClock } from "../ui/marks.tsx";
import { isSchema, type Json } from "../ui/schema.ts";
import { AdaptedFiles } from "../ui/sent-files.tsx";
import { formatNumber } from "../words/counts.ts";
import { describeWarning } from "../words/warnings.ts";
import { Alerts } from "./alerts.tsx";
import type { Draft, Override } from "./draft.ts";
import { Options } from "./options.tsx";
import { OwnFiles, OwnText, OwnThread } from "./own.tsx";
import { Preview } from "./preview.tsx";
import type { Uploads } from "./uploads.ts";
import { locateViolation, type Violation } from "./violations.ts";

export function ChannelCard({
  channel,
  rule,
  draft,
  uploads,
  delivery,
  violations,
  warnings,
  onChange,
}: {
  channel: Channel;
  rule: Rule | undefined;
  draft: Draft;
  uploads: Uploads;
  delivery: DryRun["deliveries"][number] | undefined;
  violations: Violation[];
  warnings: DryRun["warnings"];
  onChange(name: string, value: Json | undefined): void;
}) {
  const override: Override = draft.overrides[channel.id] ?? {};
  const { text } = draft;
  const clock = useClock();
  const isBroken = violations.length > 0;
  const [open, setOpen] = useState(override.text !== undefined || override.media !== undefined);
  const tooLong = violations.find(({ code, limit }) => code === "text_too_long" && limit !== undefined);
  const count = delivery ?? null;
  return (
    <section
      className="card channel-card"
      aria-label={`${networkName(channel.platform)} ${channel.handle}`}
      data-broken={isBroken}
    >
      <header className="row apart">
        <span className="row">
          <ChannelAvatar channel={channel} />
          <span className="who">
            <span>{networkName(channel.platform)}</span>
            <small>{channel.handle}</small>
          </span>
        </span>
        <span className="numbers count" data-over={tooLong !== undefined}>
          {count !== null && (
            <>
              {formatNumber(count.text_length)} / {formatNumber(count.text_limit)}
            </>
          )}
          {tooLong !== undefined && (
            <>
              {formatNumber(tooLong.actual ?? 0)} / {formatNumber(tooLong.limit ?? 0)}
            </>
          )}
        </span>
      </header>
      {delivery !== undefined && <Preview channel={channel} rule={rule} draft={draft} delivery={delivery} />}
      {delivery !== undefined && <AdaptedFiles platform={channel.platform} files={delivery.files} />}
      <Alerts violations={violations.filter((violation) => !isInField(violation, rule, open))} again />
      {warnings.map((warning) => (
        <p key={`${warning.code} ${warning.part}`} className="note">
          {describeWarning(warning, { platform: channel.platform, clock })}
        </p>
      ))}
      {rule !== undefined && (
        <>
          <Options {...{ channel, rule, own: override, text, violations, onChange }} part="open" />
          <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
            <summary>Customize for {networkName(channel.platform)}</summary>
            {open && (
              <div className="stack">
                <OwnText {...{ channel, rule, own: override, text, violations, onChange }} />
                <OwnFiles {...{ channel, draft, uploads, violations, onChange }} />
                <OwnThread {...{ channel, rule, draft, onChange }} />
                <Options {...{ channel, rule, own: override, text, violations, onChange }} part="others" />
              </div>
            )}
          </details>
        </>
      )}
    </section>
  );
}

/** Whether the violation appears next to a field of the card. */
function isInField(violation: Violation, rule: Rule | undefined, open: boolean): boolean {
  const spot = locateViolation(violation);
  if (spot.at !== "own") return false;
  if (spot.option === "text" || spot.option === "media") return open;
  return isSchema(rule?.options) && spot.option in (rule.options.properties ?? {});
}
