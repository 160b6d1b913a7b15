// One post in the calendar, and the button for posts that do not fit. The board handles presses and drags, and finds the
// post by its id.
import { memo } from "react";
import { computeHue, Mark } from "../ui/channel.tsx";
import { StateShape } from "../ui/marks.tsx";
import { nameState } from "../words/states.ts";
import { dayName } from "./days.ts";
import type { Entry } from "./entries.ts";
import { useThumbnail } from "./thumbnails.tsx";

/** More marks would leave no room for the words. */
const MARKS_MAX = 2;

declare module "react" {
  interface CSSProperties {
    "--channel-hue"?: number;
    "--label-hue"?: number;
  }
}

export const Chip = memo(function Chip({ entry, onPress }: { entry: Entry; onPress?: () => void }) {
  const { status, deliveries, labels } = entry.post;
  const thumbnail = useThumbnail(entry.post);
  const networks = [...new Set(deliveries.map(({ platform }) => platform))];
  const [channel] = deliveries;
  const [label] = labels;
  return (
    <button
      type="button"
      className={`event ${status}`}
      data-id={entry.id}
      data-movable={entry.movable ? "" : undefined}
      data-labelled={label === undefined ? undefined : ""}
      style={{
        "--channel-hue": channel === undefined ? undefined : computeHue(channel.channel),
        "--label-hue": label === undefined ? undefined : computeHue(label),
      }}
      onClick={onPress}
    >
      <time>{entry.time.slice(0, 5)}</time>
      {status !== "scheduled" && <StateShape of={status} />}
      {networks.length > 0 && (
        <span className="event-marks" aria-hidden="true">
          {networks.slice(0, MARKS_MAX).map((platform) => (
            <Mark key={platform} platform={platform} />
          ))}
          {networks.length > MARKS_MAX && <small>+{networks.length - MARKS_MAX}</small>}
        </span>
      )}{" "}
      <span className="event-words" dir="auto">
        {entry.title}
      </span>
      {status !== "scheduled" && <span className="visually-hidden">, {nameState(status)}</span>}
      {thumbnail !== null && <img src={thumbnail} alt="" width="24" height="24" loading="lazy" draggable={false} />}
    </button>
  );
});

/** A link to all posts of a day if some are hidden. It marks hidden posts that have failed. */
export function MoreButton({ day, rest }: { day: string; rest: readonly Entry[] }) {
  const failed = rest.filter((entry) => entry.failed).length;
  return (
    <button type="button" className="more-posts" data-more={day} data-failed={failed > 0 ? "" : undefined}>
      +{rest.length}
      {failed > 0 && " !"}
      <span className="words">
        {" "}
        more{failed > 0 && `, ${failed} failed`}
        <span className="visually-hidden"> on {dayName(day)}</span>
      </span>
    </button>
  );
}
