import { formatUsd } from "../../src/domain/money.ts";
import { command } from "../command.ts";
import { bytesText, number } from "../output/format.ts";
import { writeFacts } from "../output/table.ts";
import { type Output, oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

export const plan = command({
  name: "plan",
  summary: "Show your plan and this month's usage.",
  flags: COMMON,
  examples: [
    ["crier plan", "Show used and allowed posts and bytes."],
    ["crier plan --json | jq .posts.remaining", "In a script; null means unlimited."],
  ],
  async run(args, shell) {
    const { out } = shell;
    const client = await signedIn(args, shell);
    if (args.has("json")) {
      writeJson(out, (await client.call("usage.read")).body);
      return 0;
    }
    const [{ body: usage }, { body: workspace }] = await Promise.all([
      client.call("usage.read"),
      client.call("workspaces.current"),
    ]);
    const { period, posts, media_bytes, drafts, draft_bytes, spending, uploads } = usage;
    writeFacts(out, [
      ["workspace", `${oneLine(workspace.name)} (${workspace.id})`],
      ["plan", `${usage.plan}, ${workspace.plan_status}`],
      ["posts", useText(out, posts, number)],
      ["files", uploads.available ? useText(out, media_bytes, bytesText) : "this deployment does not accept uploads"],
      ["drafts", useText(out, drafts, number)],
      ["draft size", useText(out, draft_bytes, bytesText)],
      [
        "cost",
        useText(
          out,
          { used: spending.used_usd, allowed: spending.allowed_usd, remaining: spending.remaining_usd },
          formatUsd,
        ),
      ],
      ["month", `${period.from.slice(0, 10)} until ${period.to.slice(0, 10)} (UTC)`],
      ["clock", workspace.timezone],
    ]);
    return 0;
  },
});

const BAR = 20;

function useText(
  { isTerminal, paint }: Output,
  { used, allowed, remaining }: { used: number; allowed: number | null; remaining: number | null },
  text: (amount: number) => string,
): string {
  if (allowed === null) return `${text(used)} used, unlimited`;
  const summary = `${text(used)} of ${text(allowed)} used, ${text(remaining ?? 0)} left`;
  if (!isTerminal) return summary;
  const filled = Math.min(BAR, Math.round((used / Math.max(1, allowed)) * BAR));
  const colour = used >= allowed ? "red" : used > allowed * 0.8 ? "yellow" : "green";
  return `${paint(colour, "█".repeat(filled))}${"░".repeat(BAR - filled)} ${summary}`;
}
