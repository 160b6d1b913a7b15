// One post in the calendar, and the button for posts that do not fit. The board handles presses and drags, and finds the
// post by its id.
import { memo } from "react";
import { plain } from "../ui/marks.tsx";
import { dayName } from "./days.ts";
import type { Entry } from "./entries.ts";

export const Chip = memo(function Chip({ entry, onPress }: { entry: Entry; onPress?: () => void }) {
  const { status } = entry.post;
  return (
    <button
      type="button"
      className={`event ${status}`}
      data-id={entry.id}
      data-movable={entry.movable ? "" : undefined}
      onClick={onPress}
    >
      <time>{entry.time.slice(0, 5)}</time> <span>{entry.title}</span>
      {status !== "scheduled" && <span className="visually-hidden">, {plain(status)}</span>}
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
