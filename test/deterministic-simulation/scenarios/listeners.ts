// Readers of the event feed, endpoints, and callers who ask for a network's options.
import { NO_FAULTS, rulePlan } from "../faults.ts";
import type { Answer } from "../requests.ts";
import type { Tenant } from "../tenants.ts";
import type { Workload } from "../workload.ts";
import type { World } from "../world.ts";
import { MINUTE, post, type Scenario, SECOND } from "./scenario.ts";

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface Page {
  events: { id: string }[];
  next: string | null;
}
const isPage = (body: unknown): body is Page =>
  typeof body === "object" && body !== null && "events" in body && "next" in body;

/** Reads a page of the feed from a cursor. */
function readFeed(workload: Workload, { id }: Tenant, cursor: string | null, read: (page: Page) => void): void {
  const query = { order: "oldest", limit: 50, ...(cursor === null ? {} : { cursor }) };
  workload.request(id, "events.list", { query }, (answer) => {
    if (answer.is === "answer" && isPage(answer.body)) read(answer.body);
  });
}

/** Compares what a reader received with all events of its workspace except those of channels, which it did not request. */
function compareFeed(world: World, workload: Workload, { id }: Tenant, receivedIds: readonly string[]): void {
  const sql = "SELECT id FROM events WHERE workspace_id = ? AND event NOT LIKE 'channel.%'";
  const eventIds = world.database.rows(sql, id).map((row) => String(row.id));
  const missed = eventIds.filter((event) => !receivedIds.includes(event));
  const isTwice = new Set(receivedIds).size < receivedIds.length;
  if (missed.length > 0 || isTwice)
    workload.complaints.push({
      promise: "feed_is_complete",
      what: `a reader was given ${receivedIds.length} events of ${eventIds.length}, and missed ${missed.length}`,
    });
}

const isFailing = "an endpoint that was away for five days takes one of two calls";

export const listenerScenarios: Record<string, Scenario> = {
  "a reader of the event feed begins before the first event, and is away while posts go out": {
    tenants: [["telegram", "bluesky"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const [tenant] = workload.tenants;
      if (tenant === undefined) return;
      let saved: string | null = null;
      const receivedIds: string[] = [];
      const readOn = (cursor: string) =>
        readFeed(workload, tenant, cursor, ({ events, next }) => {
          receivedIds.push(...events.map((event) => event.id));
          if (events.length > 0 && next !== null) readOn(next);
          else compareFeed(world, workload, tenant, receivedIds);
        });
      readFeed(workload, tenant, null, ({ next }) => {
        saved = next;
      });
      post(world, workload, tenant, { afterMs: MINUTE });
      workload.at(world.now() + HOUR, () => {
        // A reader without a cursor starts with the next event.
        if (saved === null) compareFeed(world, workload, tenant, receivedIds);
        else readOn(saved);
      });
    },
  },
  [isFailing]: {
    tenants: [["telegram", "telegram"]],
    hasWebhooks: true,
    plan: () =>
      rulePlan([
        {
          // Both events are written before either is read.
          kind: "pause_before",
          at: ({ port, what }) => port === "db" && what.endsWith("update webhook_messages"),
          verdict: { is: "pause", when: "before", ms: 5 * SECOND },
          times: 2,
        },
        {
          kind: "wire_timeout",
          at: ({ platform }) => platform === "webhook",
          verdict: { is: "hang", lands: null, headersCame: false },
          times: 1,
        },
      ]),
    begin(world, workload) {
      const [tenant] = workload.tenants;
      world.database.change("UPDATE webhooks SET failing_since = ?", world.now() - 5 * DAY - HOUR);
      post(world, workload, tenant, { afterMs: MINUTE });
    },
  },
  "a workspace has moved, and what a network offers is asked for": {
    tenants: [["pinterest"]],
    hasTwoDatabases: true,
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const [tenant] = workload.tenants;
      const [channel] = workload.channels;
      if (tenant === undefined || channel === undefined) return;
      const complain = (answer: Answer) => {
        if (answer.is === "answer" && answer.status === 200) return;
        const why = answer.is === "lost" ? "nothing" : answer.body;
        workload.complaints.push({ promise: "options_are_listed", what: `of ${channel.platform} is told ${why}` });
      };
      const ask = () =>
        workload.request(
          tenant.id,
          "channels.options",
          { params: { id: channel.id, option: "board" }, query: { refresh: "true" } },
          complain,
        );
      workload.at(world.now() + SECOND, ask);
      workload.at(world.now() + 10 * SECOND, () => void world.moveAway(tenant, []));
      workload.at(world.now() + 10 * MINUTE, ask);
    },
  },
};
