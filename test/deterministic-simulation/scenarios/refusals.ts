// Networks refuse a part of a thread or a first comment, and owners retry what has failed.
import { rulePlan } from "../faults.ts";
import { refusal } from "../network-answers.ts";
import { MINUTE, post, type Scenario } from "./scenario.ts";

export const refusalScenarios: Record<string, Scenario> = {
  "the second part of a thread is refused, and its owner retries it": {
    tenants: [["x"]],
    plan() {
      let sends = 0;
      return rulePlan([
        {
          kind: "wire_4xx",
          at: ({ irrevocable }) => irrevocable === true && ++sends === 2,
          verdict: refusal("x"),
          times: 1,
        },
      ]);
    },
    begin(world, workload) {
      const wanted = post(world, workload, workload.tenants[0], { parts: 2, afterMs: MINUTE });
      const channel = wanted.first.channels[0] ?? "";
      workload.at(world.now() + 5 * MINUTE, () => {
        const noted = wanted.retry(channel, world.now());
        const params = { id: String(wanted.postId), channel };
        workload.request(wanted.workspace, "posts.retry-delivery", { params, body: {} }, (answer) =>
          noted(answer.is === "answer" ? answer.status : null),
        );
      });
    },
  },
  "first comments are refused under posts that are live": {
    tenants: [["facebook", "instagram"]],
    plan: () =>
      rulePlan(
        ["facebook", "instagram"].map((network) => ({
          kind: "wire_4xx",
          at: ({ port, platform, what }) => port === "wire" && platform === network && /^POST .*\/comments$/.test(what),
          verdict: refusal(network),
          times: 1,
        })),
      ),
    begin: (world, workload) =>
      void post(world, workload, workload.tenants[0], { files: [0], comments: true, afterMs: MINUTE }),
  },
};
