// A time that one channel has of its own, in the channel's tab and in the bar.
import { wallClock } from "../calendar/days.ts";
import { useSession } from "../session.tsx";
import type { Channel } from "../types.ts";
import { channelName } from "../ui/channel.tsx";
import { DateTimeField } from "../ui/field.tsx";
import { useClock } from "../ui/marks.tsx";
import { formatLocal } from "../words/dates.ts";
import { Alerts } from "./alerts.tsx";
import type { Draft } from "./draft.ts";
import { isAboutOption } from "./options.tsx";
import type { Violation } from "./violations.ts";

const MINUTE = "2026-12-01T09:30".length;
const HOUR_MS = 3_600_000;
const INSTANT = /(?:Z|[+-]\d\d:\d\d)$/;

/** The channel's own time on the workspace's clock, `2026-12-01T09:30`; null: it follows the post. */
function readOwnTime({ overrides }: Draft, channel: string, timezone: string): string | null {
  const value = overrides[channel]?.publish_at;
  if (value === undefined || value === null) return null;
  return (INSTANT.test(value) ? wallClock(timezone)(Date.parse(value)) : value).slice(0, MINUTE);
}

interface OwnTimeProps {
  channel: Channel;
  draft: Draft;
  violations: Violation[];
  onChange(name: "publish_at", value: string | undefined): void;
}

export function OwnTime({ channel, draft, violations, onChange }: OwnTimeProps) {
  const { workspace } = useSession();
  const clock = useClock();
  const ownTime = readOwnTime(draft, channel.id, workspace.timezone);
  const inAnHour = () => `${wallClock(workspace.timezone)(Date.now() + HOUR_MS).slice(0, "2026-12-01T09".length)}:00`;
  return (
    <div className="stack tight">
      <label className="choice">
        <input
          type="checkbox"
          checked={ownTime !== null}
          onChange={({ target }) =>
            onChange("publish_at", target.checked ? (draft.at === "" ? inAnHour() : draft.at) : undefined)
          }
        />
        Different time
      </label>
      {ownTime !== null && (
        <DateTimeField
          label={`Time for ${channelName(channel)}`}
          value={ownTime}
          zone={clock.zone}
          onChange={({ target }) => target.value !== "" && onChange("publish_at", target.value)}
        />
      )}
      <Alerts violations={violations.filter((violation) => isAboutOption(violation, channel, "publish_at"))} />
    </div>
  );
}

const NAMED_MAX = 2;

/** The channels that do not follow the post's time, beside the time in the bar. */
export function OwnTimes({ draft, channels }: { draft: Draft; channels: Channel[] }) {
  const { workspace } = useSession();
  const timed = channels.flatMap((channel) => {
    const ownTime = draft.channels.includes(channel.id) ? readOwnTime(draft, channel.id, workspace.timezone) : null;
    return ownTime === null ? [] : [{ channel, ownTime }];
  });
  if (timed.length === 0) return null;
  return (
    <p className="bar-times">
      {timed.length > NAMED_MAX
        ? `${timed.length} accounts have their own time`
        : timed.map(({ channel, ownTime }) => `${channelName(channel)}: ${formatLocal(ownTime)}`).join(" · ")}
    </p>
  );
}
