// One channel of a post: exactly what it would publish, what is wrong there, and what differs.
import { useState } from "react";
import type { Channel, DryRun, Media, Rule } from "../types.ts";
import { Mark } from "../ui/marks.tsx";
import { isSchema, type Json } from "../ui/schema.ts";
import { Alerts } from "./alerts.tsx";
import type { Override } from "./draft.ts";
import { Thumbnail } from "./files.tsx";
import { Options, OwnText } from "./options.tsx";
import { spotOf, type Violation } from "./violations.ts";

export function ChannelCard({
  channel,
  rule,
  own,
  text,
  media,
  delivery,
  violations,
  warnings,
  onChange,
}: {
  channel: Channel;
  rule: Rule | undefined;
  own: Override;
  text: string;
  media: Media[];
  delivery: DryRun["deliveries"][number] | undefined;
  /** Those of this channel. */
  violations: Violation[];
  warnings: DryRun["warnings"];
  onChange(name: string, value: Json | undefined): void;
}) {
  const isBroken = violations.length > 0;
  const [open, setOpen] = useState(own.text !== undefined);
  const tooLong = violations.find(({ code, limit }) => code === "text_too_long" && limit !== undefined);
  const count = delivery ?? null;
  return (
    <section className="card channel-card" aria-label={`${channel.platform} ${channel.handle}`} data-broken={isBroken}>
      <header className="row apart">
        <span className="row">
          <Mark platform={channel.platform} />
          <span className="who">
            <span className="platform">{channel.platform}</span>
            <small>{channel.handle}</small>
          </span>
        </span>
        <span className="numbers count" data-over={tooLong !== undefined}>
          {count !== null && (
            <>
              {count.text_length.toLocaleString("en")} / {count.text_limit.toLocaleString("en")}{" "}
              <small>{count.text_unit}</small>
            </>
          )}
          {tooLong !== undefined && (
            <>
              {tooLong.actual?.toLocaleString("en")} / {tooLong.limit?.toLocaleString("en")}{" "}
              <small>{tooLong.unit}</small>
            </>
          )}
        </span>
      </header>
      {delivery !== undefined && (
        <div className="would-be">
          <p className="exact">{delivery.text}</p>
          {delivery.media > 0 && (
            <div className="row thumbs">
              {media.slice(0, delivery.media).map((one) => (
                <Thumbnail key={one.id} media={one} />
              ))}
            </div>
          )}
          <p className="soft">
            <small>
              {delivery.post_type}
              {delivery.media > 0 && ` · ${delivery.media} ${delivery.media === 1 ? "file" : "files"}`}
              {delivery.estimated_cost_usd !== null && ` · costs about $${delivery.estimated_cost_usd}`}
            </small>
          </p>
        </div>
      )}
      <Alerts violations={violations.filter((one) => !isInField(one, rule, open))} again />
      {warnings.map(({ code, message }) => (
        <p key={code} className="note">
          {message}
        </p>
      ))}
      {rule !== undefined && (
        <>
          <Options {...{ channel, rule, own, text, violations, onChange }} part="open" />
          <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
            <summary>
              Change for <span className="platform gap">{channel.platform}</span>
            </summary>
            {open && (
              <div className="stack">
                <OwnText {...{ channel, rule, own, text, violations, onChange }} />
                <Options {...{ channel, rule, own, text, violations, onChange }} part="others" />
              </div>
            )}
          </details>
        </>
      )}
    </section>
  );
}

/** Whether it stands beside a field of the card. */
function isInField(violation: Violation, rule: Rule | undefined, open: boolean): boolean {
  const spot = spotOf(violation);
  if (spot.at !== "own") return false;
  if (spot.option === "text") return open;
  return isSchema(rule?.options) && spot.option in (rule.options.properties ?? {});
}
