// Bugs in the effect of a network's, a file's or an endpoint's answer on a delivery.
import { into } from "../planting.ts";
import type { Mutants } from "./mutant.ts";

const delivery = into<typeof import("../../../src/domain/delivery/decide-outcome.ts")>(
  "src/domain/delivery/decide-outcome.ts",
);
const reconciliation = into<typeof import("../../../src/domain/delivery/decide-reconciliation.ts")>(
  "src/domain/delivery/decide-reconciliation.ts",
);
const retry = into<typeof import("../../../src/domain/delivery/retry.ts")>("src/domain/delivery/retry.ts");
const followUp = into<typeof import("../../../src/domain/delivery/follow-up.ts")>("src/domain/delivery/follow-up.ts");
const comment = into<typeof import("../../../src/domain/delivery/first-comment.ts")>(
  "src/domain/delivery/first-comment.ts",
);
const takedown = into<typeof import("../../../src/domain/delivery/takedown.ts")>("src/domain/delivery/takedown.ts");
const webhook = into<typeof import("../../../src/domain/webhook.ts")>("src/domain/webhook.ts");
const recheck = into<typeof import("../../../src/domain/delivery/recheck.ts")>("src/domain/delivery/recheck.ts");
const publication = into<typeof import("../../../src/delivery/publication.ts")>("src/delivery/publication.ts");
const approval = into<typeof import("../../../src/domain/posts/approval.ts")>("src/domain/posts/approval.ts");
const sealing = into<typeof import("../../../src/operations/posts/seal-uploads.ts")>(
  "src/operations/posts/seal-uploads.ts",
);
const media = into<typeof import("../../../src/delivery/media-source.ts")>("src/delivery/media-source.ts");

export const refusalsAreFinal = retry("nextRetryAt", () => () => null);
export const retryAfterIsIgnored = delivery("decideOutcome", (decide) => (facts, outcome, recovery, moment) => {
  if (outcome.is !== "retryable") return decide(facts, outcome, recovery, moment);
  const { notBefore: _, ...busy } = outcome;
  return decide(facts, busy, recovery, moment);
});

/** Sends files without a check of their bytes. */
const ignoringContent = media("openMedia", (open) => async (ctx, ids, rows, use) => {
  const { bucket } = ctx;
  if (bucket === null) return open(ctx, ids, rows, use);
  const blind: typeof bucket = {
    ...bucket,
    stat: async (key) => {
      const stored = await bucket.stat(key);
      const row = rows.find(({ objectKey }) => objectKey === key);
      return stored === null ? null : { ...stored, etag: row?.etag ?? stored.etag };
    },
    read: async (key, _etag, range) => bucket.read(key, (await bucket.stat(key))?.etag ?? "", range),
    publicUrl: (key, contentType) => bucket.publicUrl(key, contentType),
  };
  return open({ ...ctx, bucket: blind }, ids, rows, use);
});

export const OF_DOMAIN: Mutants = {
  "nobody is asked for approval": {
    scenarios: "posts that wait",
    injections: [approval("queuedAs", (queued) => (_setting, may) => queued("none", may))],
  },
  "a call without an answer is taken as refused": {
    injections: [
      delivery(
        "decideOutcome",
        (decide) => (facts, outcome, recovery, moment) =>
          decide(
            facts,
            outcome.is === "unknown"
              ? { is: "rejected", error: "network_unavailable", detail: outcome.detail }
              : outcome,
            recovery,
            moment,
          ),
      ),
    ],
  },
  "a call without an answer is taken as live": {
    injections: [
      delivery(
        "decideOutcome",
        (decide) => (facts, outcome, recovery, moment) =>
          decide(
            facts,
            outcome.is === "unknown" ? { is: "live", id: "1", url: null, urlState: "none" } : outcome,
            recovery,
            moment,
          ),
      ),
    ],
  },
  "a call without an answer is made again": {
    injections: [
      reconciliation(
        "decideReconciliation",
        (decide) => (facts, answer, recovery, moment) =>
          answer.is === "unknown" && facts.state === "reconciling" ? "resend" : decide(facts, answer, recovery, moment),
      ),
    ],
  },
  "what the network is said not to have is sent again at once": {
    scenarios: "work for more than two minutes",
    only: ["instagram", "threads", "facebook"],
    injections: [
      reconciliation(
        "decideReconciliation",
        (decide) => (facts, answer, recovery, moment) =>
          answer.is === "not_published" ? "resend" : decide(facts, answer, recovery, moment),
      ),
    ],
  },
  "a refusal ends the uncertainty about an earlier call": {
    scenarios: "is sent again and refused",
    injections: [
      delivery(
        "decideOutcome",
        (decide) => (facts, outcome, recovery, moment) =>
          decide({ ...facts, hasOpenSend: false }, outcome, recovery, moment),
      ),
    ],
  },
  "what was found on the network is not believed": {
    injections: [
      reconciliation(
        "decideReconciliation",
        (decide) => (facts, answer, recovery, moment) =>
          decide(facts, answer.is === "live" ? { is: "not_published" } : answer, recovery, moment),
      ),
    ],
  },
  "what the network still works on is sent again": {
    only: ["tiktok", "youtube", "instagram", "threads", "facebook"],
    injections: [
      reconciliation(
        "decideReconciliation",
        (decide) => (facts, answer, recovery, moment) =>
          answer.is === "processing"
            ? decide(facts, { is: "void", error: "network_unavailable", detail: "not finished" }, recovery, moment)
            : decide(facts, answer, recovery, moment),
      ),
    ],
  },
  "a call without an answer is never asked about": {
    only: ["bluesky", "threads", "instagram"],
    injections: [retry("nextProbeAt", () => () => null)],
  },
  "refusals are never tried again": { injections: [refusalsAreFinal] },
  "refusals are tried again an hour later": {
    injections: [
      retry("nextRetryAt", (next) => (...input) => {
        const at = next(...input);
        return at === null ? null : at + 3_600_000;
      }),
    ],
  },
  "Retry-After is ignored": { scenarios: "asks to be left alone", injections: [retryAfterIsIgnored] },
  "a network that asks for a second is called every second": {
    scenarios: "asks to wait a second, for ever, when a post is published",
    injections: [
      delivery("decideOutcome", (decide) => (facts, outcome, recovery, moment) => {
        const next = decide(facts, outcome, recovery, moment);
        const isAsked = outcome.is === "retryable" && outcome.retryAt === undefined;
        if (next.state !== "retry_wait" || !isAsked || outcome.notBefore === undefined) return next;
        return { ...next, nextAt: outcome.notBefore, retries: facts.retries };
      }),
    ],
  },
  "success is told to nobody": {
    injections: [
      delivery("decideOutcome", (decide) => (...input) => {
        const decision = decide(...input);
        return decision.event === "delivery.succeeded" ? { ...decision, event: null } : decision;
      }),
    ],
  },
  "what is more than a day late is sent": {
    scenarios: "nothing runs for more than a day",
    injections: [delivery("missedDeadline", () => () => false)],
  },
  "everything is too late": { injections: [delivery("missedDeadline", () => () => true)] },
  "a first comment without an answer is written again": {
    only: ["facebook", "instagram", "threads"],
    injections: [
      followUp(
        "decideOptionWork",
        (decide) => (answer, work, now) =>
          decide(
            work.kind === "first_comment" && answer.is === "unknown"
              ? { is: "retryable", error: "network_unavailable", detail: "?" }
              : answer,
            work,
            now,
          ),
      ),
    ],
  },
  "a first comment is forgotten": {
    only: ["facebook", "instagram", "threads"],
    injections: [comment("findFirstComment", () => () => null)],
  },
  "a first comment says something else": {
    only: ["facebook", "instagram", "threads"],
    injections: [comment("findFirstComment", (of) => (override) => of(override)?.slice(0, -1) ?? null)],
  },
  "a refused first comment is said to be there": {
    only: ["facebook", "instagram", "threads"],
    injections: [
      followUp("decideOptionWork", (decide) => (answer, work, now) => {
        const outcome = decide(answer, work, now);
        return work.kind === "first_comment" && outcome.move === "put_off"
          ? { ...outcome, move: "made", nextAt: null }
          : outcome;
      }),
    ],
  },
  "a webhook is called once": { injections: [webhook("nextAttemptAt", () => () => null)] },
  "an endpoint that failed has heard": { injections: [webhook("outcomeOfStatus", () => () => "delivered")] },
  "what was removed is not noticed": {
    scenarios: "taken off its network",
    injections: [
      recheck(
        "decideRecheck",
        (after) => (delivery, outcome, now) =>
          after(delivery, outcome.is === "gone" ? { is: "unknown", detail: "?" } : outcome, now),
      ),
    ],
  },
  "a takedown without an answer is called done": {
    scenarios: "taken down",
    injections: [
      takedown(
        "decideTakedown",
        (decide) => (answer, seen, tries, now) =>
          decide(answer.is === "unknown" ? { is: "taken_down" } : answer, seen, tries, now),
      ),
    ],
  },
  "a takedown that waits is forgotten": {
    scenarios: "taken down",
    injections: [
      takedown("decideTakedown", (decide) => (answer, seen, tries, now) => {
        const outcome = decide(answer, seen, tries, now);
        return outcome.move === "put_off" ? { ...outcome, nextAt: now + 30 * 86_400_000 } : outcome;
      }),
    ],
  },
  "files go out in another order": {
    injections: [
      publication("buildPublication", (of) => async (...input) => {
        const made = await of(...input);
        return "is" in made ? made : { ...made, media: made.media.toReversed() };
      }),
    ],
  },
  "what pictures show is left out": {
    injections: [
      publication("buildPublication", (of) => async (...input) => {
        const made = await of(...input);
        return "is" in made ? made : { ...made, media: made.media.map((file) => ({ ...file, alt: null })) };
      }),
    ],
  },
  "options are left out": {
    only: ["telegram"],
    injections: [
      publication("buildPublication", (of) => async (...input) => {
        const made = await of(...input);
        return "is" in made ? made : { ...made, options: {} };
      }),
    ],
  },
  "every channel gets the post's own text": {
    injections: [
      publication("buildPublication", (of) => async (ctx, network, due, ...rest) => {
        const made = await of(ctx, network, due, ...rest);
        return "is" in made ? made : { ...made, text: due.post.text };
      }),
    ],
  },
  "a file's content is not compared with what was judged": {
    scenarios: "file is changed",
    injections: [ignoringContent],
  },
  "a file's content is not compared with what was approved": {
    scenarios: "file is swapped",
    injections: [ignoringContent, sealing("sealUploads", () => async () => {})],
  },
  "what arrives late at the address of an upload is sent": {
    scenarios: "address of an upload",
    injections: [ignoringContent, sealing("sealUploads", () => async () => {})],
  },
};
