// Renders `crier` commands and their output as an SVG picture of a terminal.
import { COMMANDS } from "../cli/commands.ts";
import { outputTo } from "../cli/output/terminal.ts";
import { follow, route } from "../cli/router.ts";

const COLUMNS = 100;
/** The size of one character, in pixels. */
const CELL = { width: 8.4, height: 20 };
const MARGIN = 24;
const STYLES: Record<number, string> = {
  1: 'font-weight="700"',
  2: 'fill-opacity="0.65"',
  31: 'fill="#ff8a80"',
  32: 'fill="#8be28b"',
  33: 'fill="#ffd479"',
  36: 'fill="#7fdfff"',
};

/** Runs the commands in order with the environment `env`, and returns the picture. */
export async function terminalPicture(commands: string[][], env: NodeJS.ProcessEnv): Promise<string> {
  let printed = "";
  const out = outputTo({ isTTY: true, columns: COLUMNS, write: (text) => (printed += text) }, env);
  for (const words of commands) {
    printed += `\x1b[36m$\x1b[39m \x1b[1mcrier ${words.map(quoted).join(" ")}\x1b[22m\n`;
    const signal = new AbortController().signal;
    await follow(route(COMMANDS, words), { env, stdin: process.stdin, out, err: out, signal });
    printed += "\n";
  }
  const lines = printed.trimEnd().split("\n");
  const [width, height] = [COLUMNS * CELL.width + 2 * MARGIN, lines.length * CELL.height + 2 * MARGIN];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" fill="#e6e6e6" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    "<title>crier in a terminal</title>",
    `<rect width="100%" height="100%" rx="8" fill="#16181d"/>`,
    ...lines.flatMap((line, i) => renderRuns(line, MARGIN + (i + 0.75) * CELL.height)),
    "</svg>\n",
  ].join("\n");
}

const quoted = (word: string) => (/^[\w@.:/-]+$/.test(word) ? word : `'${word}'`);
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/**
 * Renders the runs of words in a line, in the terminal's colors. Each run has a fixed position and length, so that columns
 * align in any font. Codes 22 and 39 reset a style.
 */
function renderRuns(line: string, y: number): string[] {
  const [plain = "", ...coloured] = line.split("\x1b[");
  const pieces = [{ text: plain, code: 0 }];
  for (const piece of coloured) {
    const code = Number.parseInt(piece, 10);
    pieces.push({ text: piece.slice(`${code}m`.length), code });
  }
  let column = 0;
  return pieces.flatMap(({ text, code }) => {
    const start = column;
    column += text.length;
    return [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: words, index }) => {
      const x = MARGIN + (start + index) * CELL.width;
      const length = words.length * CELL.width;
      return `<text x="${x.toFixed(1)}" y="${y}" textLength="${length.toFixed(1)}" lengthAdjust="spacingAndGlyphs" ${STYLES[code] ?? ""}>${escaped(words)}</text>`;
    });
  });
}
