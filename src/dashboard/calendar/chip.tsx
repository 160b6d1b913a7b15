// One post in the calendar, the button for posts that do not fit, and the button for a new one. The board handles presses and drags, and finds the
// post by its id.
import { memo } from "react";
import { computeHue, Mark } from "../ui/channel.tsx";
import { Icon } from "../ui/icons.tsx";
import { StateShape } from "../ui/marks.tsx";
import { nameState } from "../words/states.ts";
import { dayName } from "./days.ts";
import type { Entry } from "./entries.ts";
import { useIsSelected } from "./selection.ts";
import { useThumbnail } from "./thumbnails.tsx";
import { TimeOfDay } from "./time-of-day.tsx";

/** More marks would leave no room for the words. */
const MARKS_MAX = 2;

declare module "react" {
  interface CSSProperties {
    "--channel-hue"?: number;
    "--label-hue"?: number;
  }
}

export const Chip = memo(function Chip({ entry, onPress }: { entry: Entry; onPress?: () => void }) {
  const { status, deliveries, labels, channels } = entry.post;
  const isSelected = useIsSelected(entry.id);
  const thumbnail = useThumbnail(entry.post);
  const { networks } = entry;
  const channel = deliveries[0]?.channel ?? channels[0];
  const [label] = labels;
  return (
    <button
      type="button"
      className={`event ${status}`}
      data-id={entry.id}
      data-movable={entry.movable ? "" : undefined}
      aria-pressed={isSelected ? true : undefined}
      data-labelled={label === undefined ? undefined : ""}
      style={{
        "--channel-hue": channel === undefined ? undefined : computeHue(channel),
        "--label-hue": label === undefined ? undefined : computeHue(label),
      }}
      onClick={onPress}
    >
      <TimeOfDay time={entry.time} />
      {status !== "scheduled" && <StateShape of={status} />}
      {entry.post.repeat !== null && (
        <span className="event-repeat" title="Repeats">
          <Icon name="repeat" />
          <span className="visually-hidden">Repeats</span>
        </span>
      )}
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

/** Starts a post on a day. It is the place of a day without posts for the arrow keys; a press anywhere else does the same. */
export const AddButton = ({ day }: { day: string }) => (
  <button
    type="button"
    className="quiet add-here"
    data-add={day}
    tabIndex={-1}
    aria-label={`Write a post for ${dayName(day)}`}
  >
    <Icon name="plus" />
  </button>
);
