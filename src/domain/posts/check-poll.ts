// Checks the poll of a post target against its network's rule.
import { isObject } from "../json.ts";
import { type Violation, violation } from "../refusal.ts";
import type { PollRule } from "./poll.ts";
import { effectivePostType, type PostTarget } from "./post-target.ts";

export function* checkPoll(target: PostTarget): Generator<Violation, void> {
  const { poll, pollField: field = "/poll", rule, media, mediaField } = target;
  const { platform } = rule;
  if (poll === undefined || poll === null) return;
  const refuse = (detail: Partial<Violation>) => violation("poll_not_offered", { field, ...detail });
  if (rule.poll === undefined) {
    yield refuse({ message: `${platform} does not support polls.` });
    return;
  }
  const type = effectivePostType(target);
  if (type !== "feed") {
    const message = `A post of the type ${type} cannot have a poll on ${platform}.`;
    yield refuse({ message, allowed: ["feed"], hint: "Omit the poll, or change the post's `post_type`." });
  }
  if (media.length > 0) {
    yield refuse({
      field: mediaField,
      message: `${platform} does not allow files in a post with a poll.`,
      hint: 'Remove the files, or give this channel its own `media` or `"poll": null` in `overrides`.',
      limit: 0,
      actual: media.length,
      unit: "files",
      over_by: media.length,
    });
  }
  yield* checkNumbers(target, rule.poll, refuse);
}

type Refuse = (detail: Partial<Violation>) => Violation;

function* checkNumbers({ poll, pollField = "/poll", rule }: PostTarget, limits: PollRule, refuse: Refuse) {
  if (poll === undefined || poll === null) return;
  const { platform } = rule;
  const ownPoll = "Shorten it, or give this channel its own `poll` in `overrides`.";
  const { min_options: min, max_options: max } = limits;
  const count = poll.options.length;
  if (count < min || count > max) {
    const isOver = count > max;
    yield refuse({
      field: `${pollField}/options`,
      message: `${platform} allows ${min} to ${max} options in a poll; this one has ${count}.`,
      hint: isOver
        ? `Remove ${count - max}, or give this channel its own \`poll\` in \`overrides\`.`
        : `Add ${min - count} more.`,
      limit: isOver ? max : min,
      actual: count,
      unit: "entries",
      over_by: isOver ? count - max : undefined,
    });
  }
  const texts = [
    ...(limits.max_question === 0 ? [] : [{ at: "question", text: poll.question, limit: limits.max_question }]),
    ...poll.options.map((text, i) => ({ at: `options/${i}`, text, limit: limits.max_option })),
  ];
  for (const { at, text, limit } of texts) {
    const actual = [...text].length;
    if (actual <= limit) continue;
    const subject = at === "question" ? "a poll's question" : "an option of a poll";
    yield refuse({
      field: `${pollField}/${at}`,
      message: `${platform} allows ${limit} characters in ${subject}; this one has ${actual}.`,
      hint: ownPoll,
      limit,
      actual,
      unit: "characters",
      over_by: actual - limit,
    });
  }
  const { min_minutes: least, max_minutes: most, minutes: durations } = limits;
  const isDuration = durations?.includes(poll.minutes) ?? (poll.minutes >= least && poll.minutes <= most);
  if (isDuration) return;
  const allowed = durations === undefined ? `${least} to ${most}` : durations.join(", ");
  yield refuse({
    field: `${pollField}/minutes`,
    message: `A poll on ${platform} can last ${allowed} minutes; this one lasts ${poll.minutes}.`,
    hint: "Change `minutes`, or give this channel its own `poll` in `overrides`.",
    actual: poll.minutes,
    unit: "minutes",
    ...(durations === undefined
      ? { limit: poll.minutes > most ? most : least }
      : { allowed: durations.map(String), limit: nearest(durations, poll.minutes) }),
  });
}

const nearest = (values: readonly number[], value: number): number =>
  values.reduce((best, candidate) => (Math.abs(candidate - value) < Math.abs(best - value) ? candidate : best));

/** Checks that a quiz names an option of its poll as the correct one. `quiz`: the channel's option, whose shape is checked elsewhere. */
export function* checkQuiz(
  { poll, rule, channel, optionsField }: PostTarget,
  quiz: unknown,
): Generator<Violation, void> {
  const correct = isObject(quiz) ? quiz.correct : undefined;
  if (!poll || typeof correct !== "number" || correct < poll.options.length) return;
  yield violation("invalid_option", {
    field: `${optionsField}/quiz/correct`,
    channel,
    platform: rule.platform,
    message: `The quiz's correct option is at position ${correct}, but its poll has ${poll.options.length} options.`,
    hint: "Positions start at 0.",
    option: "quiz",
    option_fault: "invalid_value",
    limit: poll.options.length - 1,
    actual: correct,
  });
}
