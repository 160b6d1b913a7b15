// A spreadsheet to begin with.
import { IMPORT_COLUMNS } from "../../domain/posts/import-columns.ts";

const COLUMNS = ["text", "channels", "publish_at", "media_urls", "alt", "labels"];
const HOUR = "T09:00";
const DAYS_AHEAD = 7;
const DAY_MS = 86_400_000;

/** The template as CSV, with one example row for the workspace's own networks. */
export function buildTemplate(platforms: readonly string[], now: number): string {
  const columns = COLUMNS.filter((name) => IMPORT_COLUMNS.includes(name));
  const example: Record<string, string> = {
    text: "Hello from our first import",
    channels: [...new Set(platforms)].slice(0, 2).join("|"),
    publish_at: new Date(now + DAYS_AHEAD * DAY_MS).toISOString().slice(0, 10) + HOUR,
    labels: "import",
  };
  return `${columns.join(",")}\n${columns.map((name) => example[name] ?? "").join(",")}\n`;
}
