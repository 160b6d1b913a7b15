const toCell = (text: string | number) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ");

/** A table in Markdown, with an empty line before and after it. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(toCell).join(" | ")} |\n`;
  return `\n${line(head)}|${"---|".repeat(head.length)}\n${rows.map(line).join("")}\n`;
}
