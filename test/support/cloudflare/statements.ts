// Splits a file into statements as D1's query endpoint does. Cloudflare does not publish the rule. It is derived from the files that
// the endpoint accepted and refused in github.com/cloudflare/workers-sdk issues 4727 (2024-01-09), 10998 (2025-10-16),
// 14991 (2026-08-05), 15178 (2026-08-13) and 15314 (2026-08-22), read 2026-11-24:
//
// - A statement ends at a `;` outside quotes and comments.
// - `BEGIN` in capitals, between blanks or line feeds, opens a block in which no `;` ends a statement. `begin` in lower case and
//   `BEGIN` before a carriage return do not open a block.
// - The block ends at the first `END`, in upper or lower case, that is followed by a blank or `;`. The endpoint does not recognize
//   `CASE` inside a block, so its `END` also ends the block, unless a parenthesis or a comma follows.

const QUOTED_OR_COMMENT = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//y;
const BLOCK_START = /(?<=[ \t\n])BEGIN(?=[ \t\n])/y;
const BLOCK_END = /(?<=\s)END(?=[\s;])/iy;

/** Returns the statements of a file without the `;` between them. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let start = 0;
  let isInBlock = false;
  let index = 0;
  const matchLength = (pattern: RegExp) => {
    pattern.lastIndex = index;
    return pattern.exec(sql)?.[0].length ?? 0;
  };
  while (index < sql.length) {
    const skipped = matchLength(QUOTED_OR_COMMENT);
    if (skipped > 0) {
      index += skipped;
      continue;
    }
    if (matchLength(isInBlock ? BLOCK_END : BLOCK_START) > 0) isInBlock = !isInBlock;
    if (sql[index] === ";" && !isInBlock) {
      statements.push(sql.slice(start, index));
      start = index + 1;
    }
    index++;
  }
  statements.push(sql.slice(start));
  return statements.map((statement) => statement.trim()).filter((statement) => !isEmpty(statement));
}

const isEmpty = (statement: string) => statement.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, "").trim() === "";
