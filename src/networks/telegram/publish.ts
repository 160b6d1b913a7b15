// A single call publishes a post, and its outcome cannot be queried later. Without an answer, the outcome is unknown.
import * as z from "zod";
import type { Live, Outcome, PrepareOutcome, Rejected, Retryable } from "../../domain/delivery/outcome.ts";
import { type Alteration, textAltered } from "../../domain/delivery/readback.ts";
import { fileType } from "../../domain/media/types.ts";
import { misfitOptions, namesOfSet } from "../../domain/posts/option-fit.ts";
import type { Poll } from "../../domain/posts/poll.ts";
import { type MediaFile, MediaUnavailable } from "../media-file.ts";
import type { ConnectorContext, Publication } from "../network.ts";
import { type Answer, unknown, unreadable } from "../shared/http-call.ts";
import { makeBoundary, multipart, type Part } from "../shared/multipart.ts";
import { call, parseResult, readFailure } from "./api.ts";
import { readRejection } from "./errors.ts";
import { type Credential, type Options, type PublishKey, rule } from "./rule.ts";

/** The server may take a minute to process a file, and waiting is better than an unknown outcome. */
export const PUBLISH_TIMEOUT_MS = 90_000;

const Message = z.object({
  message_id: z.int(),
  chat: z.object({ id: z.int(), type: z.string(), username: z.string().optional() }),
});
const Sent = z.object({ ok: z.literal(true), result: z.union([Message, z.array(Message).min(1)]) });

const isAnimation = (file: MediaFile) => file.contentType === "image/gif";

export async function prepare(post: Publication<Options>): Promise<PrepareOutcome> {
  if (post.media.length > 1 && post.media.some(isAnimation)) {
    return { is: "rejected", error: "media_refused", detail: "an album cannot hold a GIF; post it alone" };
  }
  if (post.media.length > 1 && post.options.buttons !== undefined) {
    return { is: "rejected", error: "content_refused", detail: "an album cannot have buttons" };
  }
  const { buttons, quiz } = post.options;
  const [misfit] = misfitOptions({ ...post, rule, options: namesOfSet({ quiz }) });
  const isCorrect = quiz === undefined || post.poll?.options[quiz.correct] !== undefined;
  if (misfit !== undefined || !isCorrect) {
    const detail = misfit?.message ?? "the quiz names no option of its poll as the correct one";
    return { is: "rejected", error: "content_refused", detail };
  }
  return { is: "prepared", publishKey: buttons === undefined ? {} : { buttons } };
}

export const PARSE_MODES = { none: undefined, html: "HTML", markdown_v2: "MarkdownV2" } as const;

/** The fields that every kind of message has. Undefined fields are not sent. */
function common(post: Publication<Options>, chatId: string) {
  const { silent, protect_content, message_thread_id } = post.options;
  return {
    chat_id: chatId,
    message_thread_id,
    disable_notification: silent || undefined,
    protect_content: protect_content || undefined,
    reply_markup: keyboard(post.options.buttons),
  };
}

export const keyboard = (buttons: Options["buttons"]) =>
  buttons === undefined ? undefined : { inline_keyboard: buttons.map((button) => [button]) };

export function linkPreview({ link_preview: preview, link_preview_url: url }: Options) {
  if (preview === "auto" && url === undefined) return undefined;
  return {
    is_disabled: preview === "off" ? true : undefined,
    prefer_small_media: preview === "small" ? true : undefined,
    prefer_large_media: preview === "large" ? true : undefined,
    show_above_text: preview === "above" ? true : undefined,
    url,
  };
}

/** A poll, with the text of the post as its description: core.telegram.org/bots/api#sendpoll, read 2026-11-27. */
function pollFields({ text, options: { parse_mode, quiz } }: Publication<Options>, poll: Poll) {
  return {
    question: poll.question,
    options: poll.options.map((option) => ({ text: option })),
    open_period: poll.minutes * 60,
    description: text === "" ? undefined : text,
    description_parse_mode: text === "" ? undefined : PARSE_MODES[parse_mode],
    ...(quiz && { type: "quiz", correct_option_ids: [quiz.correct], explanation: quiz.explanation }),
  };
}

/** The one call that publishes: a method with its fields and files. */
function message(
  post: Publication<Options>,
  chatId: string,
): { method: string; fields: Record<string, unknown>; files: FilePart[] } {
  const base = common(post, chatId);
  const parse_mode = PARSE_MODES[post.options.parse_mode];
  const [first] = post.media;
  if (post.poll !== undefined)
    return { method: "sendPoll", fields: { ...base, ...pollFields(post, post.poll) }, files: [] };
  if (first === undefined) {
    const fields = { ...base, text: post.text, parse_mode, link_preview_options: linkPreview(post.options) };
    return { method: "sendMessage", fields, files: [] };
  }
  const caption = {
    caption: post.text === "" ? undefined : post.text,
    parse_mode: post.text === "" ? undefined : parse_mode,
    show_caption_above_media: post.options.caption_position === "above" ? true : undefined,
  };
  const has_spoiler = post.options.spoiler || undefined;
  if (post.media.length === 1) {
    const kind = isAnimation(first) ? "animation" : getKind(first);
    const fields = { ...base, ...caption, ...getShape(first, has_spoiler) };
    return { method: SINGLE[kind], fields, files: [filePart(kind, first)] };
  }
  const media = post.media.map((file, i) => ({
    type: getKind(file),
    media: `attach://file${i}`,
    ...(file.kind === "document" ? {} : { has_spoiler }),
    ...(i === 0 ? caption : {}),
  }));
  return {
    method: "sendMediaGroup",
    fields: { ...base, media },
    files: post.media.map((file, i) => filePart(`file${i}`, file)),
  };
}

const SINGLE = {
  video: "sendVideo",
  animation: "sendAnimation",
  photo: "sendPhoto",
  document: "sendDocument",
} as const;

const getKind = ({ kind }: MediaFile) => (kind === "image" || kind === "captions" ? "photo" : kind);

/** Fields that only some kinds of files have: a document cannot be hidden. */
function getShape(file: MediaFile, has_spoiler: true | undefined) {
  if (file.kind === "document") return {};
  return { ...(file.kind === "video" ? { supports_streaming: true, ...getVideoSize(file) } : {}), has_spoiler };
}

function getVideoSize(file: MediaFile) {
  const { width, height, seconds } = file;
  return {
    ...(width === null || height === null ? {} : { width, height }),
    ...(seconds === null ? {} : { duration: Math.round(seconds) }),
  };
}

type FilePart = Extract<Part, { bytes: number }>;

function filePart(name: string, file: MediaFile): FilePart {
  const { contentType, bytes } = file;
  const ending = fileType(contentType)?.ending ?? "bin";
  // People see the name of a document only.
  const fileName = file.kind === "document" && file.name ? cleanFileName(file.name) : `file${file.position}.${ending}`;
  return { name, fileName, contentType, bytes, open: () => file.open() };
}

/** Without characters that end a header's value, or that some systems do not take in names. */
const cleanFileName = (name: string): string => name.replace(/[\p{Cc}"\\/:*?<>|]/gu, "_").slice(0, 200);

export async function publish(
  post: Publication<Options>,
  publishKey: PublishKey,
  context: ConnectorContext<Credential>,
): Promise<Outcome> {
  let answer = await publishTo(post, context.credential.chat_id, context);
  const moved = answer.is === "answer" ? readFailure(answer)?.parameters?.migrate_to_chat_id : undefined;
  // A group that became a supergroup refuses its old id and reports the new one: nothing was sent yet.
  if (moved !== undefined) answer = await publishTo(post, String(moved), context);
  if (answer.is === "retryable" || answer.is === "rejected") return answer;
  const sent = answer.is === "answer" && answer.status === 200 ? Sent.safeParse(answer.body) : null;
  if (!sent?.success) return readRejection(answer, context.io.now()) ?? unknown(answer, context.io.now());
  const { result } = sent.data;
  const messages = Array.isArray(result) ? result : [result];
  const out = live(messages);
  if (out === null) return unknown(answer, context.io.now());
  const altered = alteredIn(answer, post, messages.length);
  return altered === undefined ? out : { ...out, publishKey: { ...publishKey, altered } };
}

/**
 * Differences between the published messages and the sent content. Returns undefined if they cannot be compared, because
 * formatted text comes back without its markup.
 */
function alteredIn(
  answer: Answer,
  { text, media, options, poll }: Publication<Options>,
  messages: number,
): Alteration[] | undefined {
  if (poll !== undefined) return parseResult(answer, Polled) === undefined ? undefined : pollAlteredIn(answer, poll);
  const count: Alteration[] = messages === Math.max(1, media.length) ? [] : ["media_count"];
  const shownText = alteredText(answer, { text, options, files: media.length });
  return shownText === undefined && count.length === 0 ? undefined : [...(shownText ?? []), ...count];
}

/**
 * Whether the message in an answer has another text than was sent, for a message with this many files. Returns undefined if it
 * cannot be compared.
 */
export function alteredText(
  answer: Answer,
  { text, options, files }: Pick<Publication<Options>, "text" | "options"> & { files: number },
): Alteration[] | undefined {
  if (options.parse_mode !== "none") return undefined;
  const Says = z.object({ [files === 0 ? "text" : "caption"]: z.string().optional() });
  const shownFields = parseResult(
    answer,
    files > 1 ? z.tuple([Says], z.unknown()).transform(([first]) => first) : Says,
  );
  const [shownText] = Object.values(shownFields ?? {});
  return shownText === undefined && text !== "" ? undefined : textAltered(shownText, text);
}

const Polled = z.object({ poll: z.object({ question: z.string(), options: z.array(z.object({ text: z.string() })) }) });

function pollAlteredIn(answer: Answer, { question, options }: Poll): Alteration[] {
  const shown = parseResult(answer, Polled)?.poll;
  const shownOptions = shown?.options.map(({ text }) => text);
  return shown?.question === question && JSON.stringify(shownOptions) === JSON.stringify(options) ? [] : ["poll"];
}

/**
 * Makes the call. If a file cannot be opened, the request stays incomplete, so nothing is published. The result then says
 * that the file was unavailable.
 */
async function publishTo(
  post: Publication<Options>,
  chatId: string,
  context: ConnectorContext<Credential>,
): Promise<Answer | Retryable | Rejected> {
  const { method, fields, files } = message(post, chatId);
  const { bot_token } = context.credential;
  if (files.length === 0) return call(context.io, bot_token, method, fields, PUBLISH_TIMEOUT_MS);
  const values = Object.entries(fields).flatMap(([name, value]): Part[] =>
    value === undefined ? [] : [{ name, value: typeof value === "string" ? value : JSON.stringify(value) }],
  );
  const boundary = makeBoundary(context.io.random(16));
  let unopened: MediaUnavailable | undefined;
  const watched = files.map((file) => ({
    ...file,
    open: () =>
      file.open().catch((error: unknown) => {
        unopened = error instanceof MediaUnavailable ? error : new MediaUnavailable("a file could not be read", true);
        throw unopened;
      }),
  }));
  const form = multipart([...values, ...watched], boundary);
  const headers = { "content-type": form.contentType, "content-length": String(form.bytes) };
  const body = context.io.sized(form.pieces(), form.bytes);
  // It is undefined how the runtime reports a broken stream. If the network answered nevertheless, its answer counts.
  const answer = await call(context.io, bot_token, method, { headers, body }, PUBLISH_TIMEOUT_MS).catch(unreadable);
  return answer.is === "silence" && unopened !== undefined ? unreadable(unopened) : answer;
}

/** The first message of an album has the address of the post. Only public chats and supergroups have addresses. */
function live(messages: z.output<typeof Message>[]): Live | null {
  const [first] = messages;
  if (first === undefined) return null;
  const { message_id, chat } = first;
  const id = `${chat.id}/${messages.map((message) => message.message_id).join(",")}`;
  if (chat.username !== undefined)
    return { is: "live", id, url: `https://t.me/${chat.username}/${message_id}`, urlState: "none" };
  const internal = /^-100(\d+)$/.exec(String(chat.id))?.[1];
  if (internal !== undefined)
    return { is: "live", id, url: `https://t.me/c/${internal}/${message_id}`, urlState: "none" };
  return { is: "live", id, url: null, urlState: "not_reported" };
}

/** The chat and the messages of a post, by its id. */
export function parseMessages(id: string): { chat_id: string; messages: number[] } {
  const [chat_id = "", messages = ""] = id.split("/");
  return { chat_id, messages: messages.split(",").map(Number) };
}
