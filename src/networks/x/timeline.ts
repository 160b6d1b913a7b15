// How the timeline shows a sent text: links shortened, the files' link added, entities escaped.
import * as z from "zod";
import { comparable } from "../../domain/delivery/readback.ts";

const Url = z.object({ url: z.string(), expanded_url: z.string().optional(), media_key: z.string().optional() });
type Url = z.output<typeof Url>;
const Entities = z.object({ urls: z.array(Url).optional() }).optional();
/** A long text has only its own links: NoteTweet of the OpenAPI description 2.167, read 2026-11-27. */
const NoteUrl = z.object({ url: z.string(), expanded_url: z.string().optional() });
const NoteEntities = z.object({ urls: z.array(NoteUrl).optional() }).optional();
const Note = z.object({ text: z.string(), entities: NoteEntities }).optional();
export const Shown = z.object({
  id: z.string(),
  text: z.string(),
  entities: Entities,
  /** The full text of a long post, as the OpenAPI description 2.167 names it and as the guides do: read 2026-11-22. */
  note_post: Note,
  note_tweet: Note,
  article: z.object({ title: z.string().optional() }).optional(),
  attachments: z
    .object({ media_keys: z.array(z.string()).optional(), poll_ids: z.array(z.string()).nullish() })
    .optional(),
});
export type Shown = z.output<typeof Shown>;
/** `data` is absent if there are no posts. */
export const Timeline = z.object({ data: z.array(Shown).optional() });

const SHORTENED = /https?:\/\/t\.co\/\w+/g;

/**
 * How many characters links may add to twice the length of the text that is searched for: a longer text is a different one.
 */
const EXPANSION_MAX = 10_000;

/** Whether a post of the timeline has this text. */
export function postShown(post: Shown, text: string): boolean {
  const { text: short, entities } = post.note_post ?? post.note_tweet ?? post;
  const links = new Map((entities?.urls ?? []).map((link): [string, Url] => [link.url, link]));
  let room = 2 * text.length + EXPANSION_MAX;
  // In a single pass, so that no link becomes part of another.
  const long = short.replace(SHORTENED, (url) => {
    const { media_key, expanded_url = url } = links.get(url) ?? {};
    // The link to the post's own files was added by the network and is not part of the text.
    const becomes = media_key === undefined ? expanded_url : "";
    room -= becomes.length;
    return room < 0 ? url : becomes;
  });
  return withoutAdditions(long) === withoutAdditions(text);
}

export function articleShown({ article }: Shown, title: string): boolean {
  return article?.title === title;
}

/**
 * Whether a post shows a text as it was written. Each link matches any link, however the network rewrites its address: link
 * targets are not compared, so that no unchanged post is called altered.
 */
export function textKept(post: Shown, text: string): boolean {
  const { text: short, entities } = post.note_post ?? post.note_tweet ?? post;
  const urls: Url[] = entities?.urls ?? [];
  const ofFiles = urls.filter(
    ({ media_key, expanded_url = "" }) =>
      media_key !== undefined || /\/status\/\d+\/(photo|video)\/\d+$/.test(expanded_url),
  );
  const urlsOfFiles = new Set(ofFiles.map(({ url }) => url));
  const ownText = short.replace(SHORTENED, (url) => (urlsOfFiles.has(url) ? "" : url));
  return hasInOrder(comparable(text), unescaped(comparable(ownText)).split(SHORTENED));
}

/**
 * Whether a text consists of these pieces in order, with text without spaces between each two. Each piece is matched at its
 * first occurrence: a regular expression with many links would try all positions.
 */
function hasInOrder(text: string, [first = "", ...otherPieces]: string[]): boolean {
  if (!text.startsWith(first)) return false;
  let end = first.length;
  for (const [i, piece] of otherPieces.entries()) {
    const isLast = i === otherPieces.length - 1;
    const start = isLast ? text.length - piece.length : text.indexOf(piece, end + 1);
    const between = text.slice(end, Math.max(end, start));
    if (between === "" || /\s/.test(between) || !text.startsWith(piece, start)) return false;
    end = start + piece.length;
  }
  return end === text.length;
}

/** Removes the network's additions before links are compared: a scheme, a trailing slash. */
function withoutAdditions(text: string): string {
  return unescaped(text.normalize("NFC"))
    .replace(/https?:\/\//gi, "")
    .replace(/\/(?=\s|$)/g, "")
    .trim();
}

/** `&amp;` last, because the text after it was written literally. */
const unescaped = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
