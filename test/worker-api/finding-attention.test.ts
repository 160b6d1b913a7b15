// Finds the posts that a person should look at: they failed on a channel, or a network changed or removed them.
import { beforeAll, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { type Account, signUp } from "../support/world.ts";
import { fetchAll } from "./found.ts";

const CHANNEL = "ch_00000000000000000000000000";
const OTHER = "ch_00000000000000000000000001";
const DUE = Date.parse("2026-03-01T09:00:00Z");

interface Row {
  name: string;
  status: string;
  states: string[];
  readback?: "altered" | "same";
  takedown?: boolean;
  needsAttention: boolean;
}
const ROWS: Row[] = [
  { name: "live", status: "published", states: ["live", "live"], readback: "same", needsAttention: false },
  { name: "failed", status: "failed", states: ["failed", "failed"], needsAttention: true },
  { name: "partly live", status: "partially_published", states: ["live", "failed"], needsAttention: true },
  { name: "unknown", status: "failed", states: ["outcome_unknown", "live"], needsAttention: true },
  { name: "still retrying elsewhere", status: "scheduled", states: ["failed", "retry_wait"], needsAttention: true },
  { name: "changed", status: "published", states: ["live", "live"], readback: "altered", needsAttention: true },
  { name: "removed by its network", status: "published", states: ["removed", "live"], needsAttention: true },
  { name: "taken down", status: "published", states: ["removed", "live"], takedown: true, needsAttention: false },
  {
    name: "changed, then taken down",
    status: "published",
    states: ["removed", "live"],
    readback: "altered",
    takedown: true,
    needsAttention: false,
  },
  { name: "cancelled", status: "cancelled", states: ["cancelled", "cancelled"], needsAttention: false },
  { name: "pending", status: "scheduled", states: ["pending", "pending"], needsAttention: false },
];
const EXPECTED = ROWS.filter(({ needsAttention }) => needsAttention).map(({ name }) => name);

let account: Account;
beforeAll(async () => {
  account = await signUp();
  const { DB } = testEnv;
  const { workspace } = account;
  const post = DB.prepare(
    `INSERT INTO posts (workspace_id, id, status, text, media, channels, overrides, metadata, due_at, timezone, created_at,
      updated_at, labels) VALUES (?, ?, ?, ?, '[]', ?, '{}', '{}', ?, 'UTC', 1, 1, '[]')`,
  );
  const delivery = DB.prepare(
    `INSERT INTO deliveries (workspace_id, post_id, channel_id, id, platform, state, network_post)
      VALUES (?, ?, ?, ?, 'telegram', ?, ?)`,
  );
  const takedown = DB.prepare(
    "INSERT INTO follow_ups (workspace_id, post_id, channel_id, kind, state) VALUES (?, ?, ?, 'takedown', 'done')",
  );
  await DB.batch(
    ROWS.flatMap(({ name, status, states, readback, takedown: isTakenDown = false }, i) => {
      const id = `post_${String(i).padStart(26, "0")}`;
      const channels = [CHANNEL, OTHER];
      const networkPost = { id: "1", url: null, urlState: "none", readback: { state: readback, altered: [] } };
      const shown = readback === undefined ? null : JSON.stringify(networkPost);
      return [
        post.bind(workspace, id, status, name, JSON.stringify(channels), DUE + i),
        ...states.map((state, position) =>
          delivery.bind(
            workspace,
            id,
            channels[position] ?? "",
            `del_${i}_${position}`,
            state,
            position === 0 ? shown : null,
          ),
        ),
        ...(isTakenDown ? [takedown.bind(workspace, id, CHANNEL)] : []),
      ];
    }),
  );
});

it("finds the posts that failed, or that a network changed or removed, by age and by due time, page by page", async () => {
  const byAge = await fetchAll(account.key, { attention: "true" }, 2);
  expect(byAge.posts.map(({ text }) => text)).toEqual(EXPECTED.toReversed());
  const byDue = await fetchAll(account.key, { attention: "true", order: "due", from: new Date(DUE).toISOString() }, 2);
  expect(byDue.posts.map(({ text }) => text)).toEqual(EXPECTED);
});

it("combines with the other filters, and finds all posts if it is off", async () => {
  const failed = await fetchAll(account.key, { attention: "true", status: "failed" });
  expect(failed.posts.map(({ text }) => text)).toEqual(["unknown", "failed"]);
  expect((await fetchAll(account.key, { attention: "false" })).posts).toHaveLength(ROWS.length);
});
