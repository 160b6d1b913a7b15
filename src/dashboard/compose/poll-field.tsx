// The poll under the post: its question, its answers and how long people can vote.
import type { Poll } from "../../domain/posts/poll.ts";
import type { Channel } from "../types.ts";
import { Icon } from "../ui/icons.tsx";
import { describeMinutes } from "../words/durations.ts";
import { Alerts } from "./alerts.tsx";
import { type Violation, within } from "./violations.ts";
import "./poll-field.css";

const NEW_POLL: Poll = { question: "", options: ["", ""], minutes: 1_440 };
/** Durations that most networks have; another one that the post already has stays in the list. */
const DURATIONS = [60, 720, 1_440, 4_320, 10_080, 20_160];

interface PollFieldProps {
  poll: Poll | null;
  channels: Channel[];
  violations: Violation[];
  onChange(poll: Poll | null): void;
}

export function PollField({ poll, channels, violations, onChange }: PollFieldProps) {
  if (poll === null) {
    return (
      <button type="button" className="quiet small" data-act="add-poll" onClick={() => onChange(NEW_POLL)}>
        <Icon name="plus" />
        Add poll
      </button>
    );
  }
  const { question, options, minutes } = poll;
  const changeOption = (place: number, text: string) =>
    onChange({ ...poll, options: options.map((option, i) => (i === place ? text : option)) });
  return (
    <fieldset className="poll-field">
      <legend>Poll</legend>
      <label className="field">
        <span>Question</span>
        <input dir="auto" value={question} onChange={({ target }) => onChange({ ...poll, question: target.value })} />
      </label>
      {options.map((option, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an answer is identified by its position.
        <div className="poll-answer" key={i}>
          <label className="field">
            <span>Answer {i + 1}</span>
            <input dir="auto" value={option} onChange={({ target }) => changeOption(i, target.value)} />
          </label>
          {options.length > 2 && (
            <button
              type="button"
              className="quiet icon-button"
              aria-label={`Remove answer ${i + 1}`}
              onClick={() => onChange({ ...poll, options: options.toSpliced(i, 1) })}
            >
              <Icon name="cross" />
            </button>
          )}
        </div>
      ))}
      <div className="poll-acts">
        <button type="button" className="quiet small" onClick={() => onChange({ ...poll, options: [...options, ""] })}>
          <Icon name="plus" />
          Add answer
        </button>
        <label className="field">
          <span>Open for</span>
          <select value={minutes} onChange={({ target }) => onChange({ ...poll, minutes: Number(target.value) })}>
            {[...new Set([...DURATIONS, minutes])]
              .sort((a, b) => a - b)
              .map((duration) => (
                <option key={duration} value={duration}>
                  {describeMinutes(duration)}
                </option>
              ))}
          </select>
        </label>
        <button type="button" className="quiet small" onClick={() => onChange(null)}>
          Remove poll
        </button>
      </div>
      <Alerts violations={within(violations, "/poll")} channels={channels} />
    </fieldset>
  );
}
