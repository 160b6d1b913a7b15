// Reads what a post on Threads has besides its text: a poll, a long text, a GIF, spoilers. Source: the pages under
// threads/create-posts and threads/posts, read 2026-11-27.
import { type Fields, invalidParameter, parseBoolean } from "../containers/graph.ts";
import type { ShownPoll } from "../poll.ts";

const POLL_OPTION_MAX = 25;
const TEXT_ATTACHMENT_MAX = 10_000;
const SPOILERS_MAX = 10;

/** The attachments and settings of a post as details of its ledger entry. Refuses what the network refuses. */
export function readAttachments(fields: Fields, type: string, text: string): Record<string, unknown> {
  const { text_attachment: long, gif_attachment: gif, text_entities: entities, poll_attachment: poll } = fields;
  const isGhost = parseBoolean(fields, "is_ghost_post") ?? false;
  for (const [name, value] of Object.entries({ text_attachment: long, gif_attachment: gif }))
    if (value !== undefined && type !== "TEXT") throw invalidParameter(`Param ${name} needs a text-only post`);
  if (isGhost && type !== "TEXT") throw invalidParameter("Param is_ghost_post needs a text-only post");
  if (long !== undefined && poll !== undefined)
    throw invalidParameter("Param text_attachment cannot be combined with poll_attachment");
  const isApproved = parseBoolean(fields, "enable_reply_approvals") ?? false;
  if (isGhost && isApproved) throw invalidParameter("Reply approvals can not be enabled for ghost posts");
  if (isGhost) refuseBesideGhost(fields);
  return {
    ...(long !== undefined && { text_attachment: readLongText(long) }),
    ...(gif !== undefined && { gif: readGif(gif) }),
    ...(entities !== undefined && { text_spoilers: readSpoilers(entities, text) }),
    ...(isGhost && { ghost: true }),
    notes: [
      ...(isGhost ? ["Ghost post: ends after 24 hours"] : []),
      ...(isApproved ? ["Replies wait for approval"] : []),
      ...(fields.quote_post_id === undefined ? [] : [`Quotes ${fields.quote_post_id}`]),
      ...(gif === undefined ? [] : [`GIF ${readGif(gif)} from GIPHY`]),
      ...(entities === undefined ? [] : readSpoilers(entities, text).map((phrase) => `Spoiler: ${phrase}`)),
      ...(long === undefined ? [] : [`Attached text: ${readLongText(long)}`]),
    ],
  };
}

/** "You cannot reply to any post with a ghost post. The only feature supported with ghost posts is text spoilers." */
function refuseBesideGhost(fields: Fields): void {
  const names = ["reply_to_id", "topic_tag", "link_attachment", "location_id", "quote_post_id", "poll_attachment"];
  const refused = [...names, "text_attachment", "gif_attachment"].find((name) => fields[name] !== undefined);
  if (refused !== undefined) throw invalidParameter(`Param ${refused} is not supported with is_ghost_post`);
}

function readLongText(json: string): string {
  const { plaintext, ...otherFields } = parseObject(json, "text_attachment");
  const unknown = Object.keys(otherFields).filter(
    (name) => !["link_attachment_url", "text_with_styling_info"].includes(name),
  );
  if (typeof plaintext !== "string" || plaintext === "" || unknown.length > 0)
    throw invalidParameter("Param text_attachment needs plaintext");
  if ([...plaintext].length > TEXT_ATTACHMENT_MAX)
    throw invalidParameter(`Param text_attachment: plaintext must be at most ${TEXT_ATTACHMENT_MAX} characters`);
  return plaintext;
}

function readGif(json: string): string {
  const { gif_id: id, provider } = parseObject(json, "gif_attachment");
  if (typeof id !== "string" || id === "" || provider !== "GIPHY")
    throw invalidParameter("Param gif_attachment needs gif_id and the provider GIPHY");
  return id;
}

/** The hidden phrases. Ranges that leave the text, or that overlap, are refused. */
function readSpoilers(json: string, text: string): string[] {
  const list: unknown = Object.values(parseObject(json, "text_entities"));
  const entities = Array.isArray(list) ? list.map((entity) => Object(entity)) : [];
  const characters = [...text];
  if (entities.length === 0 || entities.length > SPOILERS_MAX)
    throw invalidParameter(`Param text_entities must have 1 to ${SPOILERS_MAX} entities`);
  let end = 0;
  return entities
    .toSorted((a, b) => Number(a.offset) - Number(b.offset))
    .map(({ entity_type: type, offset, length }) => {
      const isRange = Number.isInteger(offset) && Number.isInteger(length) && length > 0;
      if (type !== "SPOILER" || !isRange || offset < end || offset + length > characters.length)
        throw invalidParameter("Param text_entities: an entity is invalid");
      end = offset + length;
      return characters.slice(offset, end).join("");
    });
}

/** threads/create-posts/polls, read 2026-11-27: only in text posts, 2 to 4 options of 1 to 25 characters. */
export function readPoll({ poll_attachment: json }: Fields, type: string): ShownPoll | null {
  if (json === undefined) return null;
  if (type !== "TEXT") throw invalidParameter("Param poll_attachment needs a text-only post");
  const fields = parseObject(json, "poll_attachment");
  const options = ["option_a", "option_b", "option_c", "option_d"].flatMap((name) => fields[name] ?? []);
  const isGap = fields.option_d !== undefined && options.length < 4;
  const isUnknown = Object.keys(fields).some((name) => !/^option_[a-d]$/.test(name));
  if (options.length < 2 || isGap || isUnknown)
    throw invalidParameter("Param poll_attachment must have 2 to 4 options");
  if (options.some((option) => typeof option !== "string" || option === "" || [...option].length > POLL_OPTION_MAX))
    throw invalidParameter(`Param poll_attachment: options have 1 to ${POLL_OPTION_MAX} characters`);
  return { question: null, options: options.map(String), minutes: null };
}

function parseObject(json: string, name: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(json));
  } catch {
    throw invalidParameter(`Param ${name} is no JSON`);
  }
}
