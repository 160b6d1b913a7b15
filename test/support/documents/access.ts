// The requirements of an app and an account at each network, for docs/apps.md.
import { networkName } from "../../../src/domain/network-name.ts";
import type { PlatformRule } from "../../../src/domain/posts/platform-rule.ts";
import { networks } from "../../../src/networks/index.ts";

const bullet = (name: string, text: string) => `- **${name}**: ${text}\n`;

function describeApp({ access: { app } }: PlatformRule): string {
  if (app === null) return "";
  const purposes = Object.entries(app.permissions).map(([scope, purpose]) => `  - \`${scope}\`: ${purpose}\n`);
  return (
    bullet("App", `${app.kind} <${app.page}>`) +
    bullet("Redirect address", `\`BASE_URL/v1/channels/callback/${app.callback}\`. ${app.redirect}`) +
    bullet("Permissions that publishing needs", `\n${purposes.join("")}`)
      .replace(": \n", ":\n")
      .replace(/\n\n$/, "\n")
  );
}

function describeNetwork(rule: PlatformRule): string {
  const { platform, access } = rule;
  const problems = Object.values(access.problems).map(
    ({ missing, sign, fix }) => `| ${[missing, sign, fix].join(" | ")} |\n`,
  );
  return (
    `### ${networkName(platform)}\n\n${describeApp(rule)}` +
    bullet("Account", access.account) +
    bullet("Review", access.review) +
    bullet("Limits", access.limits) +
    `\n| missing | symptom | fix |\n|---|---|---|\n${problems.join("")}\n`
  );
}

/** Describes the networks that need an app, or those that do not. */
export const describeAccess = (hasApp: boolean): string =>
  `\n${networks
    .filter(({ rule }) => (rule.access.app !== null) === hasApp)
    .map(({ rule }) => describeNetwork(rule))
    .join("")}`;
