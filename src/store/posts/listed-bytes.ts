import { sql } from "drizzle-orm";
import { posts } from "../db/schema.ts";

/** What a post and its deliveries take in a list, about; known without reading what is written in it. */
export const bytesListed = sql<number>`(octet_length(${posts.text}) + octet_length(${posts.media}) + octet_length(${posts.channels})
  + octet_length(${posts.overrides}) + octet_length(${posts.metadata}) + octet_length(${posts.labels})
  + COALESCE(octet_length(${posts.sentFiles}), 0) + COALESCE(octet_length(${posts.thread}) + 150 * json_array_length(${posts.thread}) * json_array_length(${posts.channels}), 0) + 1000 * (1 + json_array_length(${posts.channels})))`;
