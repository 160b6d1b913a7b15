// A poll as readers see it before they vote.
import type { Poll } from "../../domain/posts/poll.ts";
import { describeMinutes } from "../words/durations.ts";
import "./poll.css";

/** `hasQuestion`: false if the text above it already ends with the question. */
export const ShownPoll = ({ poll, hasQuestion }: { poll: Poll; hasQuestion: boolean }) => (
  <div className="shown-poll">
    {hasQuestion && <b dir="auto">{poll.question}</b>}
    <ul>
      {poll.options.map((option, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an answer is identified by its position.
        <li key={i} dir="auto">
          {option}
        </li>
      ))}
    </ul>
    <small>Open for {describeMinutes(poll.minutes)}</small>
  </div>
);
