import { METRICS } from "../../src/domain/metrics.ts";
import { command } from "../command.ts";
import { number } from "../output/format.ts";
import { writeTable } from "../output/table.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";
import { PERIOD_FLAGS, readPeriod } from "./analytics-period.ts";

export const analyticsDays = command({
  name: "days",
  summary: "Show each network's metrics by day.",
  details:
    "A metric is counted on the day on which its post was published: the UTC day, or with --from the day in the workspace's zone. Days without a post are left out.",
  flags: { ...PERIOD_FLAGS, ...COMMON },
  examples: [["crier analytics days --days 7", "The last 7 days."]],
  async run(args, shell) {
    const { out } = shell;
    const client = await signedIn(args, shell);
    const { body } = await client.call("analytics.days", { query: await readPeriod(args, client) });
    if (args.has("json")) {
      writeJson(out, body);
      return 0;
    }
    const rows = body.days.filter(({ deliveries, figures }) => deliveries > 0 || Object.keys(figures).length > 0);
    if (rows.length === 0) {
      out.line("No posts were published in this period.");
      return 0;
    }
    writeTable(out, rows, [
      { title: "day", of: ({ date }) => date },
      { title: "network", of: ({ platform }) => platform },
      { title: "deliveries", of: ({ deliveries }) => number(deliveries), align: "right" },
      ...METRICS.map((figure) => ({
        title: figure,
        of: ({ figures }: (typeof rows)[number]) => {
          const measurement = figures[figure];
          return measurement === undefined ? "" : number(measurement.value);
        },
        align: "right" as const,
      })),
    ]);
    return 0;
  },
});
