// What the judges read from rows of deliveries: groups of facts that the rows hold as JSON, and the parts of threads.
import {
  getLastTry,
  type LastTry,
  type NetworkPost,
  type Send,
  type Terms,
} from "../../src/domain/delivery/stored-facts.ts";
import type { Row } from "../support/sqlite-binding.ts";
import type { World } from "./world.ts";

const parse = (value: unknown) => (value === null ? null : JSON.parse(String(value)));

export function readLastTry(row: Row): LastTry {
  const lastTry: LastTry | null = parse(row.last_try);
  return getLastTry({ lastTry });
}
export const readSends = (row: Row): Send[] => parse(row.sends);
export const readNetworkPost = (row: Row): NetworkPost | null => parse(row.network_post);
export const readTerms = (row: Row): Terms | null => parse(row.terms);

/** The published parts of the thread of a delivery, in their order. */
export const listThreadParts = ({ database }: World, { workspace_id, post_id, channel_id }: Row): Row[] =>
  database.rows(
    "SELECT * FROM thread_parts WHERE workspace_id = ? AND post_id = ? AND channel_id = ? ORDER BY position",
    String(workspace_id),
    String(post_id),
    String(channel_id),
  );
