// sendPoll: core.telegram.org/bots/api#sendpoll, as in grammY's types 5.0.0 of 2026-08-26, read 2026-11-27.
import { type Fields, isFields } from "./call.ts";
import { BotError } from "./errors.ts";
import type { Parsed } from "./markup.ts";

const QUESTION_MAX = 300;
const OPTIONS = { min: 1, max: 12, length: 100 };
const SECONDS = { min: 5, max: 2_628_000 };
const EXPLANATION_MAX = 200;

/** Reads a poll. Returns it as a message shows it. The wording of the refusals is TDLib's, from memory. */
export function readPoll(fields: Fields, description: Parsed): Fields {
  const { question, options, open_period: seconds = null, type = "regular" } = fields;
  if (typeof question !== "string" || question.trim() === "") throw new BotError(400, "poll question can't be empty");
  if (question.length > QUESTION_MAX) throw new BotError(400, `poll question length must not exceed ${QUESTION_MAX}`);
  if (!Array.isArray(options) || options.length < OPTIONS.min)
    throw new BotError(400, `poll must have at least ${OPTIONS.min} option`);
  if (options.length > OPTIONS.max) throw new BotError(400, `poll can't have more than ${OPTIONS.max} options`);
  const texts = options.map((option: unknown) => (isFields(option) ? option.text : option));
  const answers = texts.map((text, i) => {
    if (typeof text !== "string" || text.trim() === "") throw new BotError(400, "poll options can't be empty");
    if (text.length > OPTIONS.length) throw new BotError(400, `poll options length must not exceed ${OPTIONS.length}`);
    return { persistent_id: String(i), text, voter_count: 0 };
  });
  if (seconds !== null && !(Number(seconds) >= SECONDS.min && Number(seconds) <= SECONDS.max))
    throw new BotError(400, "invalid poll open period specified");
  const isQuiz = type === "quiz";
  return {
    id: String(Date.now()),
    question,
    options: answers,
    total_voter_count: 0,
    is_closed: false,
    is_anonymous: true,
    type: isQuiz ? "quiz" : "regular",
    allows_multiple_answers: false,
    allows_revoting: !isQuiz,
    members_only: false,
    ...(seconds === null ? {} : { open_period: Number(seconds) }),
    ...(description.text === "" ? {} : { description: description.text }),
    ...(isQuiz ? readQuiz(fields, answers.length) : {}),
  };
}

function readQuiz({ correct_option_ids: correct, explanation }: Fields, options: number): Fields {
  const isValid =
    Array.isArray(correct) &&
    correct.length > 0 &&
    correct.every((id) => Number.isInteger(id) && id >= 0 && id < options);
  if (!isValid) throw new BotError(400, "wrong quiz correct option identifiers specified");
  if (explanation === undefined) return { correct_option_ids: correct };
  if (typeof explanation !== "string" || explanation.length > EXPLANATION_MAX)
    throw new BotError(400, "quiz explanation is too long");
  return { correct_option_ids: correct, explanation };
}

/** The poll of a message as the ledger lists it. */
export function toShownPoll({ question, options, open_period: seconds, correct_option_ids, explanation }: Fields) {
  const texts = Array.isArray(options) ? options.map((option: unknown) => (isFields(option) ? option.text : "")) : [];
  const minutes = typeof seconds === "number" ? seconds / 60 : null;
  const quiz = correct_option_ids === undefined ? {} : { correct_option_ids, explanation: explanation ?? null };
  return { question, options: texts, minutes, ...quiz };
}
