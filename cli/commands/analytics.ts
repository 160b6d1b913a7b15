import { METRICS } from "../../src/domain/metrics.ts";
import type { Answer } from "../api/client.ts";
import { command } from "../command.ts";
import { count, number, relativeText } from "../output/format.ts";
import { writeTable } from "../output/table.ts";
import type { Output } from "../output/terminal.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";
import { analyticsChannels } from "./analytics-channels.ts";
import { analyticsDays } from "./analytics-days.ts";
import { PERIOD_FLAGS, readPeriod } from "./analytics-period.ts";
import { analyticsPosts } from "./analytics-posts.ts";

type Network = Omit<Answer<"analytics.read">["networks"][number], "previous">;

export const analytics = command({
  name: "analytics",
  summary: "Show the metrics that each network reports.",
  details:
    "Networks count in different ways, so metrics are not summed across them. They are collected for about a month after a post.",
  flags: { ...PERIOD_FLAGS, ...COMMON },
  commands: [analyticsPosts, analyticsDays, analyticsChannels],
  examples: [
    ["crier analytics", "The last 30 days."],
    ["crier analytics --days 7 --json", "The last 7 days as JSON."],
  ],
  async run(args, shell) {
    const { out } = shell;
    const client = await signedIn(args, shell);
    const { body } = await client.call("analytics.read", { query: await readPeriod(args, client) });
    if (args.has("json")) writeJson(out, body);
    else {
      const period = args.get("from") === undefined ? `The last ${body.days} days` : `${body.from} to ${body.to}`;
      writeFigures(out, period, body.networks, client.now());
    }
    return 0;
  },
});

export function writeFigures(out: Output, period: string, networks: Network[], now: number): void {
  const published = networks.filter(({ deliveries }) => deliveries > 0);
  out.line(`${period}: ${published.length === 0 ? "no posts were published." : ""}`.trimEnd());
  for (const figure of METRICS) {
    const rows = published.flatMap(({ platform, deliveries, figures }) => {
      const measurement = figures[figure];
      return measurement === undefined ? [] : [{ platform, published: deliveries, ...measurement }];
    });
    if (rows.length === 0) continue;
    const most = Math.max(1, ...rows.map(({ value }) => value));
    out.line();
    out.line(out.paint("bold", figure));
    writeTable(out, rows, [
      { title: "network", of: ({ platform }) => platform },
      { title: figure, of: ({ value }) => number(value), align: "right" },
      // A bar compares networks, so a single network has none.
      { title: "", of: ({ value }) => bar(out, value / most, rows.length), paint: (cell) => out.paint("cyan", cell) },
      {
        title: "reported by",
        of: (row) => `${row.deliveries} of ${count(row.published, "delivery", "deliveries")}`,
        least: 10,
      },
      { title: "measured", of: ({ oldest, newest }) => ages(oldest, newest, now), least: 10 },
    ]);
  }
  const silent = published.filter(({ figures }) => Object.keys(figures).length === 0);
  if (silent.length === 0) return;
  out.line();
  writeTable(out, silent, [
    { title: "no metrics", of: ({ platform }) => platform },
    { title: "deliveries", of: ({ deliveries }) => number(deliveries), align: "right" },
    {
      title: "why",
      of: ({ note, measures }) => note ?? (measures ? "There are no metrics yet." : ""),
      least: 16,
      folds: true,
    },
  ]);
}

function bar(out: Output, fraction: number, rows: number): string {
  const room = Math.min(24, Math.floor((out.width() - 56) / 2));
  if (!out.isTerminal || rows < 2 || room < 4) return "";
  return "▇".repeat(Math.max(fraction > 0 ? 1 : 0, Math.round(fraction * room)));
}

function ages(oldest: string, newest: string, now: number): string {
  const [first, last] = [relativeText(Date.parse(oldest), now), relativeText(Date.parse(newest), now)];
  return first === last ? last : `${first} to ${last}`;
}
