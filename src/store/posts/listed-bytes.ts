import { sql } from "drizzle-orm";
import { columnsWhere } from "../../domain/posts/post-fields.ts";
import { posts } from "../db/schema.ts";

const written = sql.join(
  columnsWhere(() => true).map((column) => sql`COALESCE(octet_length(${posts[column]}), 0)`),
  sql` + `,
);

/** What a post and its deliveries take in a list, about; known without reading what is written in it. */
export const bytesListed = sql<number>`(${written}
  + COALESCE(octet_length(${posts.sentFiles}), 0) + COALESCE(150 * json_array_length(${posts.thread}) * json_array_length(${posts.channels}), 0) + 1000 * (1 + json_array_length(${posts.channels})))`;
