import { eq } from "drizzle-orm";
import { operations } from "../../../../../src/contract/index.ts";
import { media, posts } from "../../../../../src/store/db/schema.ts";
import { db } from "../../../store/deliveries/stored-delivery.ts";
import { setUpWorkspace } from "../workspace-of-two.ts";

type Parts = NonNullable<Parameters<typeof setUpWorkspace>[0]>;
const CSV = "text/csv";

/** Sets up a workspace, and functions that import files of posts into it. */
export async function setUpImport(parts: Parts = {}) {
  const jobs: unknown[] = [];
  const limitsTaken: unknown[] = [];
  const take = async (limit: string, _who: string, tries?: number) => {
    limitsTaken.push([limit, tries]);
    return 0;
  };
  const workspace = await setUpWorkspace({
    ...parts,
    outside: {
      queue: { send: async (newJobs) => void jobs.push(...newJobs) },
      limits: { take, clear: async () => {}, room: () => null },
      ...parts.outside,
    },
  });
  const { call, workspaceId, first, second } = workspace;
  const send = async (type: string, lines: string[], options: object = {}) => {
    const reply = await call("posts.import", { body: { type, text: lines.join("\n") }, ...options });
    const body = operations["posts.import"].result.parse(reply.body);
    return { status: reply.status, replayed: "replayed" in reply && reply.replayed, body, rows: body.rows };
  };
  return {
    ...workspace,
    jobs,
    limitsTaken,
    csv: (lines: string[], options?: object) => send(CSV, lines, options),
    json: (lines: object[], options?: object) =>
      send(
        "application/x-ndjson",
        lines.map((line) => JSON.stringify(line)),
        options,
      ),
    /** Imports lines of JSON as text. */
    lines: (text: string[], options?: object) => send("application/x-ndjson", text, options),
    bothChannels: `${first}|${second}`,
    readFiles: async () => await db.select().from(media).where(eq(media.workspaceId, workspaceId)),
    readInOrder: async () =>
      await db.select().from(posts).where(eq(posts.workspaceId, workspaceId)).orderBy(posts.text),
  };
}
