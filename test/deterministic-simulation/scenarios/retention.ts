// Finished posts move to the archive and old events are deleted, while callers, readers and endpoints continue.
import { NO_FAULTS, rulePlan } from "../faults.ts";
import { FeedReader } from "../feed-readers.ts";
import { NO } from "../network-answers.ts";
import { MINUTE, many, post, type Scenario } from "./scenario.ts";

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const no = NO.bluesky ?? { status: 400, body: "{}" };
/** Retries around each sweep of a minute, at these intervals in milliseconds. */
const APART_MS = 15;
const POSTS = 24;

export const retentionScenarios: Record<string, Scenario> = {
  "posts that failed are sent again just as they go to the archive": {
    tenants: [["bluesky"]],
    hasWebhooks: true,
    plan: () =>
      rulePlan([
        {
          kind: "wire_no",
          at: ({ irrevocable }) => irrevocable === true,
          verdict: { is: "answer", carriedOut: false, headers: {}, ...no },
          times: POSTS,
        },
      ]),
    begin(world, workload) {
      const startsAt = world.now();
      world.archive.keepFor(2 * HOUR);
      const wantedPosts = Array.from({ length: POSTS }, () =>
        post(world, workload, workload.tenants[0], { afterMs: MINUTE }),
      );
      // The sweep in which all of them are old enough.
      const sweptAt = Math.ceil((startsAt + 2 * HOUR + 80_000) / MINUTE) * MINUTE;
      for (const [i, wanted] of wantedPosts.entries())
        workload.at(sweptAt + i * APART_MS, () => {
          const channel = wanted.first.channels[0] ?? "";
          const noted = wanted.retry(channel, world.now());
          const params = { id: String(wanted.postId), channel };
          workload.request(wanted.workspace, "posts.retry-delivery", { params, body: {} }, (answer) =>
            noted(answer.is === "answer" ? answer.status : null),
          );
        });
      workload.at(startsAt + 12 * HOUR, () => {});
    },
  },
  "posts go to the archive after two months, and events are forgotten after ninety days": {
    tenants: [many("telegram", 2)],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const startsAt = world.now();
      world.archive.keepFor(62 * DAY);
      const [tenant] = workload.tenants;
      if (tenant === undefined) return;
      const [often, seldom] = [true, false].map(
        (hasChannels) => new FeedReader(tenant, { hasChannels, limit: hasChannels ? 5 : 50 }),
      );
      if (often !== undefined && seldom !== undefined) workload.readers.push(often, seldom);
      for (let day = 0; day <= 120; day += 4) {
        workload.at(startsAt + day * DAY, () => void post(world, workload, tenant));
        workload.at(startsAt + day * DAY + HOUR, () => often?.read(world, workload));
        if (day % 40 === 0) workload.at(startsAt + day * DAY + 2 * HOUR, () => seldom?.read(world, workload));
      }
    },
  },
};
