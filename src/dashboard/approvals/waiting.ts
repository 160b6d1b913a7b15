// The posts that wait for approval.
import { useRead } from "../reads.ts";

const EVERY_MS = 30_000;
const LIMIT = "50";

/** The waiting posts, the next one first. The frame shows their number. */
export const useWaiting = () =>
  useRead(
    ["posts", "waiting"],
    async (client, signal) =>
      (await client.call("posts.list", { query: { status: "awaiting_approval", order: "due", limit: LIMIT }, signal }))
        .body,
    { every: EVERY_MS },
  );
