// "little text": learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format, read 2026-11-20.

export interface Shown {
  text: string;
  /** Hashtags and mentions, by UTF-16 offsets into `text`, `end` exclusive. */
  marks: { start: number; end: number }[];
  /** The text as the network returns it: hashtags as templates. */
  stored: string;
}

const RESERVED = "\\|{}@[]()<>#*_~";
const MENTION = /@\[((?:\\.|[^\][\\])+)\]\((urn:li:(?:person|organization):[\w-]+)\)/uy;
const ELEMENTS: [RegExp, (match: RegExpExecArray) => string][] = [
  [/#[\p{L}\p{N}]+/uy, ([whole]) => whole],
  [/\{hashtag\|\\?([#＃])\|([\p{L}\p{N}\\_]+)\}/uy, ([, sign = "", tag = ""]) => sign + tag.replaceAll("\\", "")],
  [MENTION, ([, name = ""]) => name.replaceAll("\\", "")],
];

/**
 * The visible part of a commentary. It ends before the first reserved character that is neither escaped nor part of an
 * element. `isNamed`: whether a mention has the entity's own name; with any other name it shows as plain text.
 */
export function readLittleText(
  commentary: string,
  isNamed: (urn: string, name: string) => boolean = () => true,
): Shown {
  let text = "";
  let stored = "";
  const marks: Shown["marks"] = [];
  let index = 0;
  outer: while (index < commentary.length) {
    const character = commentary[index] ?? "";
    const next = commentary[index + 1] ?? "";
    if (character === "\\" && next !== "" && RESERVED.includes(next)) {
      text += next;
      stored += character + next;
      index += 2;
      continue;
    }
    if (!RESERVED.includes(character)) {
      text += character;
      stored += character;
      index++;
      continue;
    }
    for (const [pattern, renderMatch] of ELEMENTS) {
      pattern.lastIndex = index;
      const match = pattern.exec(commentary);
      if (match === null) continue;
      const start = text.length;
      text += renderMatch(match);
      stored += character === "#" ? `{hashtag|\\#|${match[0].slice(1)}}` : match[0];
      const isMark = pattern !== MENTION || isNamed(match[2] ?? "", text.slice(start));
      if (isMark) marks.push({ start, end: text.length });
      index += match[0].length;
      continue outer;
    }
    break;
  }
  return { text, marks, stored };
}
