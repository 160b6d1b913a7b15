// The sentence for each broken rule of a post, and the buttons that solve it.
import type { Code } from "../../client/calls.ts";
import { count, formatChoices } from "./counts.ts";
import { FILE_VIOLATIONS } from "./file-violations.ts";
import { describeOptionFault, describeRequiredOption } from "./option-faults.ts";
import { describePoll, describePollField } from "./poll-violations.ts";
import { namePostType, pluralPostType } from "./post-types.ts";
import { describeCode } from "./refusals.ts";
import {
  type Describe,
  type Fix,
  nameNetwork,
  type Violation,
  type ViolationContext,
  type Words,
} from "./violation-words.ts";

const editFor = (violation: Violation): Fix[] =>
  violation.channel === undefined
    ? []
    : [{ kind: "edit_for", channel: violation.channel, label: `Edit for ${nameNetwork(violation)}` }];

const pickTime =
  (code: Code): Describe =>
  () => ({
    text: describeCode(code),
    fixes: [{ kind: "pick_time", label: "Pick another time" }],
  });

const CHANNEL_ID = /^ch_\w+$/;

const VIOLATIONS: { [Name in Code]?: Describe } = {
  ...FILE_VIOLATIONS,
  text_too_long: (violation) => {
    const { limit, over_by: over = 0, unit, at_least: isLeast, channel = "", post_type: type = "feed" } = violation;
    const name = nameNetwork(violation);
    if (limit === 0) {
      const fixes: Fix[] = [{ kind: "clear_text", channel, label: `Remove text for ${name}` }];
      return { text: `${name} ${pluralPostType(type)} can't have text.`, fixes };
    }
    if (unit === "bytes")
      return { text: `This text takes up more room than ${name} allows.`, fixes: editFor(violation) };
    const excess = `${count(over, "character")} too long for ${name}.`;
    return { text: isLeast === true ? `At least ${excess}` : excess, fixes: editFor(violation) };
  },
  too_many_text_parts: (violation) => {
    const { limit = 0, over_by: over = 0, unit = "hashtags" } = violation;
    const noun = unit.replace(/s$/, "");
    const text = `${nameNetwork(violation)} allows ${count(limit, noun)}. Remove ${count(over, noun)}.`;
    return { text, fixes: editFor(violation) };
  },
  character_not_allowed: (violation) => {
    const { characters = [] } = violation;
    const text = `${nameNetwork(violation)} doesn't accept ${formatChoices(characters)} in a text.`;
    return { text, fixes: editFor(violation) };
  },
  text_required: ({ field = "" }) => {
    const [, part] = /\/thread\/(\d+)\//.exec(field) ?? [];
    return part === undefined
      ? { text: describeCode("text_required"), fixes: [] }
      : { text: `Part ${Number(part) + 2} is empty. Write something, or remove it.`, fixes: [] };
  },
  thread_not_offered: (violation) => {
    const { limit, over_by: over = 0, post_type: type = "feed", allowed, channel } = violation;
    const name = nameNetwork(violation);
    const fixes: Fix[] =
      channel === undefined ? [] : [{ kind: "first_part_only", channel, label: "Only post the first part" }];
    if (limit !== undefined) {
      const text = `${name} allows ${count(limit + 1, "part")} in a thread. Remove ${count(over, "part")}.`;
      return { text, fixes };
    }
    const text =
      allowed === undefined ? `${name} doesn't have threads.` : `${name} ${pluralPostType(type)} can't have threads.`;
    return { text, fixes };
  },
  poll_not_offered: describePoll,
  invalid_field: describePollField,
  post_type_not_offered: (violation, { postTypes = violation.allowed ?? [] }) => ({
    text: `${nameNetwork(violation)} doesn't have ${pluralPostType(violation.post_type ?? "feed")}.`,
    fixes: postTypes.map((type) => ({ kind: "post_type", type, label: `Post as ${namePostType(type)}` })),
  }),
  option_required: describeRequiredOption,
  invalid_option: describeOptionFault,
  channels_required: () => ({
    text: describeCode("channels_required"),
    fixes: [{ kind: "choose_channels", label: "Choose channels" }],
  }),
  unknown_channel: ({ channel = "" }) => ({
    text:
      channel === "" || CHANNEL_ID.test(channel)
        ? describeCode("unknown_channel")
        : `You have no channel called “${channel}”.`,
    fixes: [],
  }),
  publish_at_in_past: pickTime("publish_at_in_past"),
  publish_at_too_far: pickTime("publish_at_too_far"),
  publish_at_invalid: pickTime("publish_at_invalid"),
  publish_at_in_dst_gap: ({ nearest = [] }) => {
    const times = nearest.map((time) => time.slice(11, 16));
    const text = `That time is skipped by daylight saving time. Pick ${times.length === 0 ? "another one" : formatChoices(times)}.`;
    return { text, fixes: [{ kind: "pick_time", label: "Pick another time" }] };
  },
};

/** The words for a broken rule. A code without a sentence of its own gets the sentence of its refusal. */
export function describeViolation(violation: Violation, context: ViolationContext = {}): Words {
  const describe = Object.hasOwn(VIOLATIONS, violation.code) ? VIOLATIONS[violation.code] : undefined;
  return describe?.(violation, context) ?? { text: describeCode(violation.code), fixes: [] };
}
