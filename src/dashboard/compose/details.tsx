// The post type, the labels, the conversion of images, and the poll.
import { useSession } from "../session.tsx";
import type { Channel, Post } from "../types.ts";
import { labelPostType } from "../words/post-types.ts";
import { Alerts } from "./alerts.tsx";
import type { Draft, PostType } from "./draft.ts";
import { PollField } from "./poll-field.tsx";
import { locateViolation, type Violation } from "./violations.ts";
import "./details.css";

interface DetailsProps {
  draft: Draft;
  /** The post types of all chosen channels. */
  types: PostType[];
  /** Whether the network of a chosen channel has polls. */
  hasPolls: boolean;
  kept: Post | undefined;
  channels: Channel[];
  violations: Violation[];
  onChange(changes: Partial<Draft>): void;
}

export function Details({ draft, types, hasPolls, kept, channels, violations, onChange }: DetailsProps) {
  const { workspace } = useSession();
  const tags = draft.linkTags ?? workspace.link_tags;
  const findViolations = (spot: string) => violations.filter((violation) => locateViolation(violation).at === spot);
  return (
    <div className="details">
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
          dir="auto"
          value={draft.labels}
          placeholder="Separated by commas"
          onChange={({ target }) => onChange({ labels: target.value })}
        />
      </label>
      <label className="choice" title="Images that a network wouldn't accept are converted for it, never cropped.">
        <input
          type="checkbox"
          checked={draft.mediaFit === "adapt"}
          onChange={({ target }) => onChange({ mediaFit: target.checked ? "adapt" : "exact" })}
        />
        Adapt images to each network
      </label>
      {tags !== null && (
        <label className="choice" title={describeTags(tags)}>
          <input
            type="checkbox"
            checked={draft.linkTags !== null}
            onChange={({ target }) => onChange({ linkTags: target.checked ? tags : null })}
          />
          Add campaign parameters to links
        </label>
      )}
      {(hasPolls || draft.poll !== null) && (
        <PollField
          poll={draft.poll}
          channels={channels}
          violations={violations}
          onChange={(poll) => onChange({ poll })}
        />
      )}
      <Alerts violations={findViolations("type")} channels={channels} />
      <Alerts violations={findViolations("labels")} />
    </div>
  );
}

/** "utm_source={network}, utm_medium=social" */
const describeTags = ({ parameters }: NonNullable<Draft["linkTags"]>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
