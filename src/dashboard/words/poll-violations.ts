// The sentences for a poll that a network does not take.
import { count, formatChoices } from "./counts.ts";
import { describeMinutes } from "./durations.ts";
import { pluralPostType } from "./post-types.ts";
import { describeCode } from "./refusals.ts";
import { type Describe, type Fix, nameNetwork, type Violation } from "./violation-words.ts";

function describeText(violation: Violation): string {
  const { field = "", limit, actual = 0, over_by: over = 0, allowed, post_type: type = "feed", unit } = violation;
  const name = nameNetwork(violation);
  if (unit === "files") return `${name} doesn't take files in a post with a poll.`;
  if (unit === "entries" && limit !== undefined)
    return over > 0
      ? `${name} allows ${count(limit, "answer")} in a poll. Remove ${count(over, "answer")}.`
      : `${name} needs ${count(limit, "answer")} in a poll. Add ${count(limit - actual, "answer")}.`;
  if (unit === "minutes") {
    const durations = (allowed ?? [String(limit ?? actual)]).map((minutes) => describeMinutes(Number(minutes)));
    return allowed === undefined
      ? `${name} polls can't last ${describeMinutes(actual)}: the limit is ${durations[0]}.`
      : `${name} polls last ${formatChoices(durations)}.`;
  }
  if (unit === "characters") {
    const [, position] = /\/options\/(\d+)$/.exec(field) ?? [];
    const subject = position === undefined ? "The poll's question" : `Answer ${Number(position) + 1} of the poll`;
    return `${subject} is ${count(over, "character")} too long for ${name}.`;
  }
  return allowed === undefined ? `${name} doesn't have polls.` : `${name} ${pluralPostType(type)} can't have polls.`;
}

export const describePoll: Describe = (violation) => {
  const { channel } = violation;
  const fixes: Fix[] =
    channel === undefined
      ? []
      : [{ kind: "without_poll", channel, label: `Post without the poll on ${nameNetwork(violation)}` }];
  return { text: describeText(violation), fixes };
};

/** A poll that is not written completely. Any other field keeps its general sentence. */
export const describePollField: Describe = ({ field = "" }) => {
  const [, position] = /\/poll\/options\/(\d+)$/.exec(field) ?? [];
  if (position !== undefined)
    return { text: `Write answer ${Number(position) + 1} of the poll, or remove it.`, fixes: [] };
  const isPoll = /\/poll(\/|$)/.test(field);
  return { text: isPoll ? "Write the poll's question in one line." : describeCode("invalid_field"), fixes: [] };
};
