// The CLI's output: the result on stdout, messages on stderr. Colors and widths apply only to terminals.
import measure from "fast-string-truncated-width";

type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";
const CODES: Record<Colour, [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** Colors a text, or leaves it unchanged. */
export type Paint = (colour: Colour, text: string) => string;
export const plainPaint: Paint = (_, text) => text;
const ansiPaint: Paint = (colour, text) => `\x1b[${CODES[colour][0]}m${text}\x1b[${CODES[colour][1]}m`;

/** The part of a stream that the CLI uses. */
export interface Sink {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

export interface Output {
  isTerminal: boolean;
  /** The terminal's width in columns; infinite if the output is not a terminal, so that nothing is cut. */
  width(): number;
  paint: Paint;
  write(text: string): void;
  line(text?: string): void;
}

export function outputTo(sink: Sink, env: NodeJS.ProcessEnv): Output {
  const isTerminal = sink.isTTY === true;
  const isColoured = isTerminal && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb";
  return {
    isTerminal,
    width: () => (isTerminal ? Math.max(20, sink.columns ?? 80) : Number.POSITIVE_INFINITY),
    paint: isColoured ? ansiPaint : plainPaint,
    write: (text) => void sink.write(text),
    line: (text = "") => void sink.write(`${harmless(text)}\n`),
  };
}

/** Characters that control a terminal, change the text direction, or are invisible. */
const STEERING = /[\p{Cc}\u{AD}\u{061C}\u{200B}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2060}\u{2066}-\u{2069}\u{FEFF}]/gu;

/** Control sequences that a line may contain: our own colors, tabs, and line breaks. All others are removed. */
const OWN = new RegExp(`[\\n\\t]|\\x1b\\[(?:${Object.values(CODES).flat().join("|")})m`, "y");

function harmless(text: string): string {
  return text.replace(STEERING, (_, offset: number) => {
    OWN.lastIndex = offset;
    return OWN.exec(text)?.[0].slice(0, 1) ?? "";
  });
}

/** JSON with every terminal control character escaped. Every parser reads the same value. */
export function jsonText(body: unknown, indent?: number): string {
  return JSON.stringify(body, null, indent).replace(STEERING, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Turns third-party text into one line without terminal control characters. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").replace(STEERING, "").trim();
}

/** Third-party text as a quotation on one line. */
export const quoteWords = (text: string): string => `"${oneLine(text)}"`;

let segmenter: Intl.Segmenter | null = null;

/** The characters of a text as a person counts them. The segmenter is created on first use, because that is slow. */
function characters(text: string): string[] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** The columns of a text on a terminal. */
export function measureWidth(text: string): number {
  return measure(text).width;
}

/** Cuts `text` to at most `width` columns, ending in `…`. Never splits a character. */
export function cut(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  let prefix = "";
  let usedWidth = 1;
  for (const character of characters(text)) {
    usedWidth += measureWidth(character);
    if (usedWidth > width) break;
    prefix += character;
  }
  return `${prefix.trimEnd()}…`;
}

/** Pads `text` with spaces to `width` columns. */
export function padded(text: string, width: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - measureWidth(text)));
  return align === "left" ? text + space : space + text;
}

/**
 * Wraps `text` into lines of at most `width` columns. Breaks lines between words, and anywhere in scripts without spaces. A long
 * address or id stays whole for copying, and the terminal wraps it.
 */
export function wrapped(text: string, width: number): string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line = "";
    const addPiece = (piece: string) => {
      if (line !== "" && measureWidth(line) + measureWidth(piece) > width) {
        lines.push(line.trimEnd());
        line = "";
      }
      line += line === "" ? piece.trimStart() : piece;
    };
    for (const word of paragraph.split(/(?= )/)) {
      if (measureWidth(word.trimStart()) <= width || /^[\x20-\x7e]+$/.test(word)) addPiece(word);
      else for (const character of characters(word)) addPiece(character);
    }
    return [...lines, line.trimEnd()];
  });
}

/** Wraps `text` to `width`, with its first line after `first` and the others aligned below it. */
export function hanging(first: string, text: string, width: number): string[] {
  const indent = measureWidth(first);
  const lines = wrapped(text, Math.max(10, width - indent));
  return lines.map((line, i) => (i === 0 ? first : " ".repeat(indent)) + line);
}
