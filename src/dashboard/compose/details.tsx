// The publish time, post type and labels of a post.
import type { Channel, Post } from "../types.ts";
import { useClock } from "../ui/marks.tsx";
import { labelPostType } from "../words/post-types.ts";
import { Alerts } from "./alerts.tsx";
import type { Draft, PostType } from "./draft.ts";
import { locateViolation, type Violation } from "./violations.ts";

export const WHEN = "compose-when";

export function Details({
  draft,
  types,
  kept,
  publishAt,
  channels,
  violations,
  onChange,
}: {
  draft: Draft;
  /** The post types of all chosen channels. */
  types: PostType[];
  kept: Post | undefined;
  /** The instant that the service computed from the typed time; null until it has answered. */
  publishAt: string | null;
  channels: Channel[];
  violations: Violation[];
  onChange(changes: Partial<Draft>): void;
}) {
  const clock = useClock();
  const findViolations = (spot: string) => violations.filter((violation) => locateViolation(violation).at === spot);
  return (
    <div className="card">
      <h2>Details</h2>
      <div className="pair">
        <div className="field">
          <label htmlFor={WHEN}>When</label>
          <input
            id={WHEN}
            type="datetime-local"
            value={draft.at}
            aria-describedby={`${WHEN}-zone`}
            onChange={({ target }) => onChange({ at: target.value })}
          />
          <small id={`${WHEN}-zone`}>
            {draft.at === "" ? "Leave empty to post now. " : ""}
            {publishAt === null ? `${clock.zone} time` : `${clock.friendly(publishAt)}, ${clock.zone} time`}
          </small>
        </div>
        {types.length > 1 && (
          <label className="field">
            <span>Post type</span>
            <select
              value={draft.postType ?? ""}
              disabled={kept !== undefined && kept.post_type !== null}
              onChange={({ target }) => onChange({ postType: types.find((type) => type === target.value) ?? null })}
            >
              <option value="">Automatic</option>
              {types.map((type) => (
                <option key={type} value={type}>
                  {labelPostType(type)}
                </option>
              ))}
            </select>
          </label>
        )}
        <label className="field">
          <span>Labels</span>
          <input
            value={draft.labels}
            placeholder="Separated by commas"
            onChange={({ target }) => onChange({ labels: target.value })}
          />
        </label>
      </div>
      <label className="choice">
        <input
          type="checkbox"
          checked={draft.mediaFit === "adapt"}
          onChange={({ target }) => onChange({ mediaFit: target.checked ? "adapt" : "exact" })}
        />
        <span className="who">
          Adapt images to each network
          <small>Images that a network wouldn't accept are converted for it, never cropped.</small>
        </span>
      </label>
      <Alerts violations={findViolations("when")} />
      <Alerts violations={findViolations("type")} channels={channels} />
      <Alerts violations={findViolations("labels")} />
    </div>
  );
}
