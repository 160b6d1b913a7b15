// Problems: beside the field that they concern, and all together below the preview. Each has the buttons that solve it.
import type { Channel, Rule } from "../types.ts";
import { ChannelAvatar, channelName } from "../ui/channel.tsx";
import type { Fix } from "../words/violation-words.ts";
import { describeViolation } from "../words/violations.ts";
import { useSolve } from "./solving.ts";
import { groupProblems, type Problem, type Violation } from "./violations.ts";

interface AlertsProps {
  violations: Violation[];
  /** Used to name the violation's channel; omitted where the context is clear. */
  channels?: Channel[];
  /** A fix whose button is shown near the alerts anyway. */
  omit?: Fix["kind"];
}

const toKey = ({ code, field, channel, message }: Violation) => `${code} ${field} ${channel} ${message}`;
const toProblemKey = ({ lines }: Problem) => lines.map(({ violation }) => toKey(violation)).join();

/** The problems of a field, announced to screen readers. */
export function Alerts({ violations, channels = [], omit }: AlertsProps) {
  const solve = useSolve();
  if (violations.length === 0) return null;
  return (
    <div className="alert small-alert" role="alert">
      <ul>
        {groupProblems(violations, describeViolation).map((problem) => (
          <li key={toProblemKey(problem)}>
            {problem.lines.map(({ violation, text }) => {
              const channel = channels.find(({ id }) => id === violation.channel);
              return (
                <span key={toKey(violation)}>
                  {channel !== undefined && !text.includes(channel.handle) && (
                    <span className="visually-hidden">{channelName(channel)}: </span>
                  )}
                  {text}
                </span>
              );
            })}
            {problem.fixes
              .filter(({ kind }) => kind !== omit)
              .map((fix) => (
                <button key={fix.label} type="button" className="link" onClick={() => solve(fix)}>
                  {fix.label}
                </button>
              ))}
          </li>
        ))}
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
  const findChannel = (violation: Violation) => channels.find(({ id }) => id === violation.channel);
  const problems = groupProblems(violations, (violation) => {
    const channel = findChannel(violation);
    const postTypes = channel === undefined ? undefined : findRule(channel.platform)?.post_types;
    return describeViolation(violation, postTypes === undefined ? {} : { postTypes });
  });
  return (
    <ul className="problems" aria-label="Things to fix">
      {problems.map((problem) => (
        <li key={toProblemKey(problem)}>
          <div className="problem-lines">
            {problem.lines.map(({ violation, text }) => {
              const channel = findChannel(violation);
              return (
                <div key={toKey(violation)}>
                  {channel !== undefined && <ChannelAvatar channel={channel} size="small" />}
                  <span>
                    {channel !== undefined && <span className="visually-hidden">{channelName(channel)}: </span>}
                    {text}
                  </span>
                </div>
              );
            })}
          </div>
          {problem.fixes.map((fix) => (
            <button key={fix.label} type="button" className="small" onClick={() => solve(fix)}>
              {fix.label}
            </button>
          ))}
        </li>
      ))}
    </ul>
  );
}
