import { METRICS } from "../../src/domain/metrics.ts";
import { allChannels, nameFor } from "../channels.ts";
import { command } from "../command.ts";
import { usage } from "../failure.ts";
import { number, relativeText } from "../output/format.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";
import { PERIOD_FLAGS, readPeriod } from "./analytics-period.ts";

export const analyticsPosts = command({
  name: "posts",
  summary: "Rank the posts on one network by a metric.",
  details: "Networks count in different ways, so only posts on the same network are compared.",
  flags: {
    platform: { type: "string", short: "p", value: "NAME", description: "Network." },
    figure: { type: "string", short: "f", value: "FIGURE", options: METRICS, description: "Metric to sort by." },
    ...PERIOD_FLAGS,
    limit: { type: "string", value: "N", description: "Maximum number, from 1 to 200 (default 10)." },
    ...COMMON,
  },
  examples: [["crier analytics posts -p PLATFORM -f likes --days 7", "The most liked posts of the last 7 days."]],
  async run(args, shell) {
    const { out, err } = shell;
    const platform = args.get("platform");
    const figure = METRICS.find((metric) => metric === args.get("figure"));
    if (platform === undefined || figure === undefined) {
      throw usage("--platform and --figure are required.", "crier analytics posts --help");
    }
    const limit = args.get("limit") ?? "10";
    if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 200) {
      throw usage("--limit must be a number from 1 to 200.");
    }
    const client = await signedIn(args, shell);
    const query = { platform, figure, ...(await readPeriod(args, client)), limit };
    const { body } = await client.call("analytics.posts", { query });
    if (args.has("json")) {
      writeJson(out, body);
      return 0;
    }
    if (body.posts.length === 0) {
      out.line("No post published there in this period has reported this metric.");
      return 0;
    }
    const channels = await allChannels(client);
    writeTable(out, body.posts, [
      { title: figure, of: ({ figures }) => number(figures[figure]?.value ?? 0), align: "right" },
      {
        title: "measured",
        of: ({ figures }) => relativeText(Date.parse(figures[figure]?.measured_at ?? ""), client.now()),
      },
      {
        title: "channel",
        of: (row) => {
          const channel = channels.find(({ id }) => id === row.channel);
          return channel === undefined ? row.channel : nameFor(channel, channels);
        },
        least: 12,
      },
      { title: "address", of: ({ url }) => oneLine(url ?? ""), least: 16 },
      { title: "post", of: ({ post }) => post },
    ]);
    if (body.compared !== null) err.line(`Only the last ${body.compared} deliveries were compared; there are more.`);
    return 0;
  },
});
