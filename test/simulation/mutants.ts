// biome-ignore-all lint/suspicious/noTemplateCurlyInString: planted code is text here, with the templates that it has.
// Bugs that are planted to see whether the simulation sees: each changes one place of the real code as it is loaded, and
// nowhere else. A change whose text is no longer there fails loudly.
import type { Change } from "./loading.ts";

export interface Mutant {
  /** Networks on which it can show; all where left out. */
  only?: readonly string[];
  changes: readonly Change[];
}

const DELIVERIES = "src/store/deliveries.ts";
const HOLD = "src/store/hold.ts";
const ENDINGS = "src/store/endings.ts";
const CLAIMS = "src/store/claims.ts";
const DELIVER = "src/publishing/deliver.ts";
const DOMAIN = "src/domain/delivery.ts";

export const MUTANTS: Record<string, Mutant> = {
  "no write-ahead": {
    changes: [
      {
        file: DELIVER,
        find: "    const sentAt = await this.#crew.tripsFor(this.#claim.delivery.workspaceId).writeAhead({",
        replace: "    const sentAt = await (async (..._given: unknown[]) => this.#hand.now())({",
      },
      { file: DELIVER, find: "    if (sentAt !== null) this.#hand.sent(sentAt);\n", replace: "" },
    ],
  },
  "a timeout is treated as a failure": {
    changes: [
      {
        file: DOMAIN,
        find: `    case "unsure":
      return uncertain(delivery, recovery, outcome.detail, moment);
    case "busy":`,
        replace: `    case "unsure":
      return ended(delivery, "failed", "network_unavailable", outcome.detail);
    case "busy":`,
      },
    ],
  },
  "sent again after a crash": {
    changes: [
      {
        file: CLAIMS,
        find: `.set({ state: "uncertain", ambiguous: true, `,
        replace: `.set({ state: "staged", `,
      },
    ],
  },
  "a new record key for each try": {
    only: ["bluesky"],
    changes: [
      {
        file: "src/networks/bluesky/index.ts",
        find: "  const ready = readyOf(token);\n  let answer",
        replace:
          "  const ready = { ...readyOf(token), rkey: makeTid(work.wire.now(), work.wire.random(3)) };\n  let answer",
      },
    ],
  },
  "a new container for each try": {
    only: ["threads", "instagram"],
    changes: [
      {
        file: "src/networks/protocols/meta-container-send.ts",
        find: `    case "FINISHED":
      return ABSENT;`,
        replace: `    case "FINISHED":
      return { is: "dead", error: "network_unavailable", detail: "not published" };`,
      },
    ],
  },
  "the token is not stored before it is used": {
    only: ["bluesky"],
    changes: [
      {
        file: DELIVERIES,
        find: '        netToken: sql`${ahead.column("token")}`,\n',
        replace: "",
      },
      {
        // What is lost is made anew.
        file: DELIVER,
        find: "  let { token } = opened;\n",
        replace: `  let { token } = opened;
    if (asking && token === null) {
      const publication = await worker.publication();
      if ("is" in publication) return settle(hand.facts, publication, recovery, hand.moment());
      const staged = await worker.stage(publication, null);
      if (staged.is !== "staged") return settle(hand.facts, staged, recovery, hand.moment());
      token = staged.token;
    }
`,
      },
    ],
  },
  "no fence": {
    changes: [
      {
        file: HOLD,
        find: `    eq(deliveries.ver, hold.ver),
    sql\`EXISTS (SELECT 1 FROM \${channels} WHERE \${isLeased(hold)} AND \${ofLease})\`,
`,
        replace: "",
      },
    ],
  },
  "no lease": {
    changes: [
      {
        file: CLAIMS,
        find: "sql`(${channels.leaseUntil} IS NULL OR ${channels.leaseUntil} <= ${NOW}\n",
        replace: "sql`(TRUE\n",
      },
    ],
  },
  "no look before the send whether it was cancelled": {
    changes: [
      {
        file: DELIVERIES,
        find: "            AND ${posts.cancelledAt} IS NULL)`,\n        ),\n      )\n      .returning({\n",
        replace: "            )`,\n        ),\n      )\n      .returning({\n",
      },
    ],
  },
  "the channel is not looked at before the send": {
    changes: [
      {
        file: DELIVERIES,
        find: "\n              AND ${channels.credential} IS NOT NULL AND ${channels.removedAt} IS NULL`,",
        replace: "`,",
      },
    ],
  },
  "ambiguity is forgotten": {
    changes: [
      {
        file: DOMAIN,
        find: `    case "busy":
      return delivery.ambiguous
        ? uncertain(delivery, recovery, outcome.detail, moment)
        : later(delivery, outcome, moment);`,
        replace: `    case "busy":
      return later(delivery, outcome, moment);`,
      },
      {
        file: DOMAIN,
        find: `    case "refused":
      return delivery.ambiguous
        ? uncertain(delivery, recovery, outcome.detail, moment)
        : ended(`,
        replace: `    case "refused":
      return ended(`,
      },
    ],
  },
  "the lease is shorter than the call": {
    changes: [
      {
        file: DELIVERIES,
        find: "    const lease = Math.max(LEASE_MS, needed);",
        replace: "    const lease = Math.min(LEASE_MS, sendTimeoutMs / 2);",
      },
      {
        file: DELIVERIES,
        find: "    const needed = sendTimeoutMs + SEND_MARGIN_MS;",
        replace: "    const needed = 0;",
      },
      {
        file: DELIVERIES,
        find: 'AND ${channels.leaseUntil} < ${NOW} + ${ahead.column("enough")}',
        replace: "",
      },
    ],
  },
  "the event is written outside the batch": {
    changes: [
      {
        file: ENDINGS,
        find: 'WHERE ${written(told)} AND ${told.column("event")} IS NOT NULL`,',
        replace: "WHERE ${written(told)} AND FALSE`,",
      },
      {
        file: "src/publishing/settle.ts",
        find: "    this.#crew.settled++;\n",
        replace: `    this.#crew.settled++;
    const row = this.#event(transition);
    const { workspaceId, postId, channelId } = hold.key;
    if (row !== null)
      this.#ctx.later(
        Promise.resolve(
          this.database.insert(events).values({ ...row, workspaceId, postId, channelId, fence: hold.fence }),
        ),
      );
`,
      },
      {
        file: "src/publishing/settle.ts",
        find: "  settled({ hold, transition: { state, error }, afterwards }: Ending, ended: Ended | null): void {\n",
        replace:
          "  settled({ hold, transition, afterwards }: Ending, ended: Ended | null): void {\n    const { state, error } = transition;\n",
      },
      {
        file: "src/publishing/settle.ts",
        find: 'import { sealToken } from "./token.ts";\n',
        replace: 'import { sealToken } from "./token.ts";\nimport { events } from "../store/schema.ts";\n',
      },
    ],
  },
  "the use is counted outside the batch": {
    changes: [
      {
        file: "src/store/posts.ts",
        find: "      sql`WHERE ${countedMonth} IS NOT NULL AND ${exists}`,",
        replace: "      sql`WHERE FALSE`,",
      },
      {
        file: "src/store/posts.ts",
        find: "  return results[6].length === 1;",
        replace: `  await insertFrom(db, usageMonths, { workspaceId, month: countedMonth ?? "", posts: 1 },
    sql\`WHERE \${countedMonth} IS NOT NULL AND \${exists}\`).onConflictDoUpdate({
    target: [usageMonths.workspaceId, usageMonths.month], set: { posts: sql\`\${usageMonths.posts} + 1\` } });
  return results[6].length === 1;`,
      },
    ],
  },
  "a cancelled post is claimed and sent": {
    changes: [
      {
        file: DELIVER,
        find: "    if (cancelled) return hand.stopUnsent();\n",
        replace: "",
      },
      {
        file: DELIVERIES,
        find: "            AND ${posts.cancelledAt} IS NULL)`,\n        ),\n      )\n      .returning({\n",
        replace: "            )`,\n        ),\n      )\n      .returning({\n",
      },
    ],
  },
  // Ours.
  "a hand rings for what another has": {
    changes: [
      {
        file: CLAIMS,
        find: "if (nextAt === null || elsewhere)",
        replace: "if (nextAt === null)",
      },
    ],
  },
  "an edited post keeps the version that was read": {
    changes: [{ file: "src/store/posts.ts", find: "        ver: post.rev,\n", replace: "" }],
  },
  "a connector is told its worker's own time": {
    only: ["youtube", "tiktok"],
    changes: [{ file: DELIVER, find: "now: () => this.#hand.now()", replace: "now: () => this.#ctx.now()" }],
  },
  "an edit does not look whether anything has started": {
    changes: [
      {
        file: "src/store/post-edits.ts",
        find: "          sql`NOT EXISTS (SELECT 1 FROM ${deliveries} WHERE ${ofPost}\n            AND (${deliveries.state} <> 'pending' OR ${deliveries.startedAt} IS NOT NULL))`,\n",
        replace: "",
      },
      {
        file: "src/store/post-edits.ts",
        find: `inArray(posts.status, ["draft", "scheduled"])`,
        replace: `inArray(posts.status, ["draft", "scheduled", "published"])`,
      },
      {
        file: "src/operations/posts/update.ts",
        find: '  if (!waiting || deliveries.some(({ state }) => state !== "pending")) {',
        replace: "  if (!waiting && deliveries.length === 0) {",
      },
    ],
  },
  "a retry keeps no eye on what is unknown": {
    only: ["telegram", "x", "facebook"],
    changes: [
      {
        file: DELIVERIES,
        find: `inArray(deliveries.state, confirmed ? ["failed", "unconfirmed"] : ["failed"]),`,
        replace: `inArray(deliveries.state, ["failed", "unconfirmed", "uncertain"]),`,
      },
    ],
  },
  "the sweeper sleeps": {
    changes: [
      {
        file: "src/publishing/sweep.ts",
        find: "    found += overdue.length;\n",
        replace: "    found += overdue.length;\n    if (found >= 0) continue;\n",
      },
    ],
  },
  "the key is looked up, not held": {
    changes: [
      {
        file: "src/store/posts.ts",
        find: "      sql`WHERE ${key !== null} AND ${exists}`,",
        replace: "      sql`WHERE FALSE`,",
      },
    ],
  },
  "an event is written and its endpoints are not told": {
    changes: [
      {
        file: ENDINGS,
        find: "sql`${written(heard)} AND ${events.workspaceId} = ${workspaceId}",
        replace: "sql`FALSE AND ${events.workspaceId} = ${workspaceId}",
      },
    ],
  },
  "an endpoint that does not answer has heard": {
    changes: [
      {
        file: "src/adapters/webhook-call.ts",
        find: `signal.aborted ? "timeout" : "network_error"`,
        replace: `"delivered"`,
      },
    ],
  },
};
