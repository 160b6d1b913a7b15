// Mentions written with a name and the network's id, as a rule with
// `text_weighting: "mention_names"` has them: `@[Name](urn:li:organization:1)`. People see the name alone.

/**
 * The bounds keep the search linear: without them, the end of each `@[` would be searched for in the whole text. No page gives the
 * longest name of an organization; 100 characters are from memory, so longer ones pass.
 */
const NAMED = /@\[([^[\]\\\n]{1,200})\]\((urn:li:(?:organization|person):[\w-]{1,60})\)/g;

export interface NamedMention {
  name: string;
  urn: string;
  /** UTF-16 positions in the text, `end` exclusive. */
  start: number;
  end: number;
}

/** The mentions of a text, in order. */
export const findNamedMentions = (text: string): NamedMention[] =>
  Array.from(text.matchAll(NAMED), ({ 0: whole, 1: name = "", 2: urn = "", index }) => ({
    name,
    urn,
    start: index,
    end: index + whole.length,
  }));

/** A text with each mention as its name. */
export const showNamedMentions = (text: string): string => text.replace(NAMED, (_, name: string) => name);
