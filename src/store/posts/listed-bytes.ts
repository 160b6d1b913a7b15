import { sql } from "drizzle-orm";
import { columnsWhere } from "../../domain/posts/post-fields.ts";
import { posts } from "../db/schema.ts";

const contentBytes = sql.join(
  columnsWhere(() => true).map((column) => sql`COALESCE(octet_length(${posts[column]}), 0)`),
  sql` + `,
);

/** The approximate size of a post and its deliveries in a list, computed without reading their text. */
export const bytesListed = sql<number>`(${contentBytes}
  + COALESCE(octet_length(${posts.sentFiles}), 0) + COALESCE(150 * json_array_length(${posts.thread}) * json_array_length(${posts.channels}), 0) + 1000 * (1 + json_array_length(${posts.channels})))`;
