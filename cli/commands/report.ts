import { allChannels, CHANNEL_FLAG, findChannel } from "../channels.ts";
import { command } from "../command.ts";
import { usage } from "../failure.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

export const report = command({
  name: "report",
  summary: "Create a page of metrics to send to a client.",
  details: "The page lasts seven days and prints well. Anyone with the address can read it.",
  flags: {
    from: { type: "string", value: "DATE", description: "First date: 2026-12-01." },
    to: { type: "string", value: "DATE", description: "Last date (default today)." },
    channel: {
      ...CHANNEL_FLAG,
      description: "Channels: ids, handles or platforms. Default: all.",
    },
    label: { type: "string", short: "l", value: "LABEL", description: "Only posts with this label." },
    ...COMMON,
  },
  examples: [["crier report --from 2026-11-01 --to 2026-11-30 -c @you", "One channel in November."]],
  async run(args, shell) {
    const from = args.get("from");
    if (from === undefined) throw usage("--from is required.", "crier report --help");
    const client = await signedIn(args, shell);
    const names = args.getAll("channel");
    const known = names.length === 0 ? [] : await allChannels(client);
    const channels = names.length === 0 ? null : names.map((name) => findChannel(name, known).id);
    const label = args.get("label") ?? null;
    const { body } = await client.call("reports.create", { body: { from, to: args.get("to"), channels, label } });
    if (args.has("json")) writeJson(shell.out, body);
    else {
      shell.out.line(body.url);
      shell.err.line(`Valid until ${body.expires_at}. The address cannot be shown again.`);
    }
    return 0;
  },
});
