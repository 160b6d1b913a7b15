// The posts that wait for approval.
import { useRead } from "../reads.ts";

const EVERY_MS = 30_000;
const LIMIT = "50";

/** Those that wait, the next one first; the frame counts them. */
export const useWaiting = () =>
  useRead(
    ["posts", "waiting"],
    async (client, signal) =>
      (await client.call("posts.list", { query: { status: "awaiting_approval", order: "due", limit: LIMIT }, signal }))
        .body,
    { every: EVERY_MS },
  );
