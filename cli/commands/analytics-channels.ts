import { METRICS } from "../../src/domain/metrics.ts";
import { allChannels, nameFor } from "../channels.ts";
import { command } from "../command.ts";
import { number } from "../output/format.ts";
import { writeTable } from "../output/table.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";
import { COMPARE_FLAG, PERIOD_FLAGS, readPeriod } from "./analytics-period.ts";

export const analyticsChannels = command({
  name: "channels",
  summary: "Show each channel's metrics.",
  details: "With --compare, the figure of the period before is in parentheses.",
  flags: { ...PERIOD_FLAGS, ...COMPARE_FLAG, ...COMMON },
  examples: [["crier analytics channels --from 2026-11-01 --to 2026-11-30 --compare", "November and October."]],
  async run(args, shell) {
    const { out } = shell;
    const client = await signedIn(args, shell);
    const query = { ...(await readPeriod(args, client)), compare: args.has("compare") ? "true" : undefined };
    const { body } = await client.call("analytics.channels", { query });
    if (args.has("json")) {
      writeJson(out, body);
      return 0;
    }
    if (body.channels.length === 0) {
      out.line("No posts were published in this period.");
      return 0;
    }
    const known = await allChannels(client);
    writeTable(out, body.channels, [
      {
        title: "channel",
        of: ({ channel: id }) => {
          const channel = known.find((candidate) => candidate.id === id);
          return channel === undefined ? id : nameFor(channel, known);
        },
        least: 12,
      },
      { title: "network", of: ({ platform }) => platform },
      {
        title: "deliveries",
        of: ({ deliveries, previous }) => beside(deliveries, previous?.deliveries),
        align: "right",
      },
      ...METRICS.map((figure) => ({
        title: figure,
        of: ({ figures, previous }: (typeof body.channels)[number]) =>
          beside(figures[figure]?.value, previous?.figures[figure]?.value),
        align: "right" as const,
      })),
    ]);
    return 0;
  },
});

/** A figure, and in parentheses the one of the period before. */
function beside(value: number | undefined, before: number | undefined): string {
  const shown = value === undefined ? "" : number(value);
  return before === undefined ? shown : `${shown} (${number(before)})`.trimStart();
}
