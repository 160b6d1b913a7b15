// Drafts for the inbox of a TikTok account: each arrives once, and is reported as handed over only then.
import { rulePlan } from "../faults.ts";
import { DRAFT } from "../networks.ts";
import type { Point, Verdict } from "../scheduler.ts";
import type { Workload } from "../workload.ts";
import type { World } from "../world.ts";
import { MINUTE, many, post, type Scenario } from "./scenario.ts";

const VIDEO = [3];
/** One more than an inbox accepts in a day. */
const TOO_MANY = 6;

function sendDraft(world: World, workload: Workload, afterMs = 0): void {
  post(world, workload, workload.tenants[0], { files: VIDEO, afterMs, options: () => DRAFT });
}

const hasBytes = ({ platform, what }: Point): boolean => platform === "tiktok" && what.startsWith("PUT ");
const oneDraft = (verdict: Verdict): Scenario => ({
  tenants: [["tiktok"]],
  hasWebhooks: true,
  plan: () => rulePlan([{ kind: "wire_of_a_draft", at: hasBytes, verdict, times: 1 }]),
  begin: (world, workload) => sendDraft(world, workload),
});

export const draftScenarios: Record<string, Scenario> = {
  "a draft whose last bytes had no answer is in the inbox once": oneDraft({ is: "lost", when: "after" }),
  "a draft whose last bytes were lost is sent again": oneDraft({ is: "lost", when: "before" }),
  "the process ends that sent the last bytes of a draft": oneDraft({ is: "kill", when: "after" }),
  "an account is sent more drafts than its inbox takes in a day": {
    tenants: [many("tiktok", 1)],
    plan: () => rulePlan([]),
    begin(world, workload) {
      for (let i = 0; i < TOO_MANY; i++) sendDraft(world, workload, (1 + i) * MINUTE);
    },
  },
};
