// The selected posts as a table for a spreadsheet.
import type { Post } from "../types.ts";

type Row = Pick<Post, "publish_at_local" | "due_at" | "text" | "channels" | "labels"> & {
  status: string;
  deliveries: { url: string | null }[];
};

/** A spreadsheet runs a cell that begins like a formula, so it gets an apostrophe. */
const toCell = (value: string) => `"${value.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;

/** The posts as CSV, for a spreadsheet. */
export function toCsv(posts: Row[], nameChannel: (id: string) => string): string {
  const rows = posts.map((post) => [
    post.publish_at_local ?? post.due_at ?? "",
    post.status,
    post.text,
    post.channels.map(nameChannel).join(", "),
    post.labels.join(", "),
    post.deliveries.flatMap(({ url }) => url ?? []).join(" "),
  ]);
  return [["date", "status", "text", "channels", "labels", "links"], ...rows]
    .map((row) => row.map(toCell).join(","))
    .join("\r\n");
}
