// Problems: beside the field that they concern, and all together below the preview. Each has the buttons that solve it.
import type { Channel, Rule } from "../types.ts";
import { ChannelAvatar, channelName } from "../ui/channel.tsx";
import { describeViolation } from "../words/violations.ts";
import { useSolve } from "./solving.ts";
import type { Violation } from "./violations.ts";

interface AlertsProps {
  violations: Violation[];
  /** Used to name the violation's channel; omitted where the context is clear. */
  channels?: Channel[];
}

const toKey = ({ code, field, channel, message }: Violation) => `${code} ${field} ${channel} ${message}`;

/** The problems of a field, announced to screen readers. */
export function Alerts({ violations, channels = [] }: AlertsProps) {
  const solve = useSolve();
  if (violations.length === 0) return null;
  return (
    <div className="alert small-alert" role="alert">
      <ul>
        {violations.map((violation) => {
          const channel = channels.find(({ id }) => id === violation.channel);
          const { text, fixes } = describeViolation(violation);
          return (
            <li key={toKey(violation)}>
              {channel !== undefined && !text.includes(channel.handle) && (
                <span className="visually-hidden">{channelName(channel)}: </span>
              )}
              <span>{text}</span>
              {fixes.map((fix) => (
                <button key={fix.label} type="button" className="link" onClick={() => solve(fix)}>
                  {fix.label}
                </button>
              ))}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface ProblemsProps {
  violations: Violation[];
  channels: Channel[];
  findRule(platform: string): Rule | undefined;
}

/** Everything that has to be solved before the post can go out. The fields announce their own problems. */
export function Problems({ violations, channels, findRule }: ProblemsProps) {
  const solve = useSolve();
  if (violations.length === 0) return null;
  return (
    <ul className="problems" aria-label="Things to fix">
      {violations.map((violation) => {
        const channel = channels.find(({ id }) => id === violation.channel);
        const postTypes = channel === undefined ? undefined : findRule(channel.platform)?.post_types;
        const { text, fixes } = describeViolation(violation, postTypes === undefined ? {} : { postTypes });
        return (
          <li key={toKey(violation)}>
            {channel !== undefined && <ChannelAvatar channel={channel} size="small" />}
            <span className="problem-text">
              {channel !== undefined && <span className="visually-hidden">{channelName(channel)}: </span>}
              {text}
            </span>
            {fixes.map((fix) => (
              <button key={fix.label} type="button" className="small" onClick={() => solve(fix)}>
                {fix.label}
              </button>
            ))}
          </li>
        );
      })}
    </ul>
  );
}
