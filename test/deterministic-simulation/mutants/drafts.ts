// Bugs in drafts for an inbox.
import { into } from "../planting.ts";
import type { Mutants } from "./mutant.ts";

const tiktok = into<typeof import("../../../src/networks/tiktok/publish.ts")>("src/networks/tiktok/publish.ts");
const delivery = into<typeof import("../../../src/domain/delivery/decide-outcome.ts")>(
  "src/domain/delivery/decide-outcome.ts",
);

export const OF_DRAFTS: Mutants = {
  "a draft is sent again after a lost answer": {
    scenarios: "had no answer is in the inbox once",
    injections: [
      tiktok("reconcile", (reconcile) => async (publishKey, context) => {
        const reconciled = await reconcile(publishKey, context);
        return reconciled.is === "processing" && publishKey.post.draft === true
          ? { is: "void", error: "network_unavailable", detail: "no answer" }
          : reconciled;
      }),
    ],
  },
  "a draft is said to be handed over before its bytes are sent": {
    scenarios: "last bytes were lost",
    injections: [
      tiktok("publish", (publish) => async (post, publishKey, context) => {
        if (publishKey.step !== "upload" || publishKey.post.draft !== true) return publish(post, publishKey, context);
        return { is: "handed_over", id: publishKey.publish_id, note: "The draft is in the inbox" };
      }),
    ],
  },
  "a draft that its network refused is said to be handed over": {
    scenarios: "more drafts than its inbox takes",
    injections: [
      delivery("decideOutcome", (decide) => (facts, outcome, recovery, moment) => {
        const isRefused = outcome.is === "retryable" && outcome.error === "network_quota";
        return decide(facts, isRefused ? { is: "handed_over", id: "1", note: "" } : outcome, recovery, moment);
      }),
    ],
  },
  "a draft is said to be live": {
    scenarios: "had no answer is in the inbox once",
    injections: [
      tiktok("reconcile", (reconcile) => async (publishKey, context) => {
        const reconciled = await reconcile(publishKey, context);
        return reconciled.is === "handed_over"
          ? { is: "live", id: reconciled.id, url: null, urlState: "none" }
          : reconciled;
      }),
    ],
  },
};
