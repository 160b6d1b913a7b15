// A workspace, and files of posts that are imported into it.
import { eq } from "drizzle-orm";
import { operations } from "../../../../../src/contract/index.ts";
import { media, posts } from "../../../../../src/store/db/schema.ts";
import { db } from "../../../store/deliveries/stored-delivery.ts";
import { workspaceOfTwo } from "../workspace-of-two.ts";

type Parts = NonNullable<Parameters<typeof workspaceOfTwo>[0]>;
const CSV = "text/csv";

/** A workspace, and imports into it. */
export async function importing(parts: Parts = {}) {
  const jobs: unknown[] = [];
  const taken: unknown[] = [];
  const take = async (limit: string, _who: string, tries?: number) => {
    taken.push([limit, tries]);
    return 0;
  };
  const workspace = await workspaceOfTwo({
    ...parts,
    outside: {
      queue: { send: async (sent) => void jobs.push(...sent) },
      limits: { take, clear: async () => {} },
      ...parts.outside,
    },
  });
  const { call, workspaceId, first, second } = workspace;
  const send = async (type: string, lines: string[], more: object = {}) => {
    const reply = await call("posts.import", { body: { type, text: lines.join("\n") }, ...more });
    const body = operations["posts.import"].result.parse(reply.body);
    return { status: reply.status, replayed: "replayed" in reply && reply.replayed, body, rows: body.rows };
  };
  return {
    ...workspace,
    jobs,
    taken,
    csv: (lines: string[], more?: object) => send(CSV, lines, more),
    json: (lines: object[], more?: object) =>
      send(
        "application/x-ndjson",
        lines.map((line) => JSON.stringify(line)),
        more,
      ),
    /** Lines of JSON as they stand in the file. */
    lines: (text: string[], more?: object) => send("application/x-ndjson", text, more),
    both: `${first}|${second}`,
    readFiles: async () => await db.select().from(media).where(eq(media.workspaceId, workspaceId)),
    readInOrder: async () =>
      await db.select().from(posts).where(eq(posts.workspaceId, workspaceId)).orderBy(posts.text),
  };
}
