// The report of a live check that a person can send: what was found and answered, without any secret.
import type { Finding } from "./check.ts";
import type { AnsweredQuestion } from "./questions.ts";
import { lineOf } from "./report.ts";
import { withoutSecrets } from "./settings.ts";

export interface CheckedNetwork {
  platform: string;
  /** Whether simulators stood in for the network. */
  isSimulated: boolean;
  findings: readonly Finding[];
  answered: readonly AnsweredQuestion[];
  secrets: Iterable<string>;
}

/** One network of the report, in Markdown. */
export function formatNetwork({ platform, isSimulated, findings, answered, secrets }: CheckedNetwork): string {
  const known = [...secrets];
  const questions = answered.map(
    ({ ask, settles, costs, seen }, index) =>
      `${index + 1}. ${ask}\n   - It settles: ${settles}\n   - It costs: ${costs}\n   - Seen: ${withoutSecrets(seen ?? "not tried", known)}\n`,
  );
  return (
    `## ${platform}${isSimulated ? " (simulated)" : ""}\n\n` +
    `\`\`\`text\n${withoutSecrets(findings.map(lineOf).join("\n"), known)}\n\`\`\`\n` +
    (questions.length === 0 ? "" : `\nOpen questions:\n\n${questions.join("")}`)
  );
}
