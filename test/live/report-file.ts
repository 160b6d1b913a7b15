// The report of a live check that a person can send: findings and answers, without any secret.
import type { Finding } from "./live-check.ts";
import type { AnsweredQuestion } from "./questions.ts";
import { formatFinding } from "./report.ts";
import { withoutSecrets } from "./settings.ts";

export interface CheckedNetwork {
  platform: string;
  /** Whether the network was simulated. */
  isSimulated: boolean;
  findings: readonly Finding[];
  answered: readonly AnsweredQuestion[];
  secrets: Iterable<string>;
}

/** One network of the report, in Markdown. */
export function formatNetwork({ platform, isSimulated, findings, answered, secrets }: CheckedNetwork): string {
  const secretList = [...secrets];
  const questions = answered.map(
    ({ instruction, shows, costs, observation }, index) =>
      `${index + 1}. ${instruction}\n   - It shows: ${shows}\n   - It costs: ${costs}\n   - Seen: ${withoutSecrets(observation ?? "not tried", secretList)}\n`,
  );
  return (
    `## ${platform}${isSimulated ? " (simulated)" : ""}\n\n` +
    `\`\`\`text\n${withoutSecrets(findings.map(formatFinding).join("\n"), secretList)}\n\`\`\`\n` +
    (questions.length === 0 ? "" : `\nOpen questions:\n\n${questions.join("")}`)
  );
}
