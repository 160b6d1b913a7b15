// The table in docs/networks.md of the descriptions with which each network's calls are compared.
import { readFacts } from "../../networks/descriptions/facts.ts";
import { DESCRIBED, getDescription, PACKAGES } from "../../networks/descriptions/index.ts";
import type { Description, Operation } from "../../networks/descriptions/operation.ts";
import { countChecks } from "../../networks/descriptions/schema.ts";

/** Counts the checks of a call: its query, its body, each answer, and its path and method. */
function countOperationChecks({ query, body, answers }: Operation, { defs }: Description): number {
  const schemas = [query, body, ...Object.values(answers)];
  return schemas.reduce((sum, schema) => sum + (schema === null ? 1 : countChecks(schema, defs)), 2);
}

/** Makes a row for each network: its package, its pages and their age, and the numbers of calls and checks. */
export function descriptionRows(): (string | number)[][] {
  return DESCRIBED.map((platform) => {
    const description = getDescription(platform);
    if (description === undefined) throw new Error(`${platform} is not described`);
    const packageInfo = PACKAGES[platform];
    const pages = Object.values(readFacts(platform).sources).filter(({ page }) => !page.startsWith("npmjs.com/"));
    const dated = pages.flatMap((source) => source.of ?? []).sort();
    const read = pages.map((source) => source.read).sort();
    const from = dated.length === 0 ? "" : ` of ${[...new Set([dated[0], dated.at(-1)])].join(" to ")}`;
    const checks = description.operations.reduce(
      (sum, operation) => sum + countOperationChecks(operation, description),
      0,
    );
    return [
      platform,
      packageInfo === undefined ? "" : `\`${packageInfo.name}\` ${packageInfo.version} of ${packageInfo.published}`,
      `${pages.length}${from}, read ${read[0]}`,
      description.operations.length,
      checks,
    ];
  });
}

/** Lists the fields that connectors read although no description has them. */
export function readThough(): string {
  const lines = DESCRIBED.flatMap((platform) =>
    readFacts(platform).reads.map(({ calls, fields, why: reason }) => {
      const formatCodes = (words: string[]) => words.map((word) => `\`${word}\``).join(", ");
      const paths = calls.map((call) => call.replace(/^[A-Z]+ /, "")).join(", ");
      return `- ${platform}, ${paths}: ${formatCodes(fields)}: ${reason}.`;
    }),
  );
  return `\n${lines.join("\n")}\n\n`;
}
