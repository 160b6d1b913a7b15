// What docs/networks.md says of the descriptions that each network is held against.
import { readFacts } from "../../networks/descriptions/facts.ts";
import { DESCRIBED, getDescription, PACKAGES } from "../../networks/descriptions/index.ts";
import type { Description, Operation } from "../../networks/descriptions/operation.ts";
import { countChecks } from "../../networks/descriptions/schema.ts";

/** What is said of one call: its query, its body, each answer, and its path and method. */
function checksOf({ query, body, answers }: Operation, { defs }: Description): number {
  const schemas = [query, body, ...Object.values(answers)];
  return schemas.reduce((sum, one) => sum + (one === null ? 1 : countChecks(one, defs)), 2);
}

/** A row for each network: against what, how old, calls and checks of a package and of pages. */
export function descriptionRows(): (string | number)[][] {
  return DESCRIBED.map((platform) => {
    const description = getDescription(platform);
    if (description === undefined) throw new Error(`${platform} is not described`);
    const of = PACKAGES[platform];
    const pages = Object.values(readFacts(platform).sources).filter(({ page }) => !page.startsWith("npmjs.com/"));
    const dated = pages.flatMap((source) => source.of ?? []).sort();
    const read = pages.map((source) => source.read).sort();
    const from = dated.length === 0 ? "" : ` of ${[...new Set([dated[0], dated.at(-1)])].join(" to ")}`;
    const checks = description.operations.reduce((sum, operation) => sum + checksOf(operation, description), 0);
    return [
      platform,
      of === undefined ? "" : `\`${of.name}\` ${of.version} of ${of.published}`,
      `${pages.length}${from}, read ${read[0]}`,
      description.operations.length,
      checks,
    ];
  });
}

/** What connectors read though no description has it. */
export function readThough(): string {
  const lines = DESCRIBED.flatMap((platform) =>
    readFacts(platform).reads.map(({ calls, fields, why }) => {
      const named = (words: string[]) => words.map((word) => `\`${word}\``).join(", ");
      const paths = calls.map((call) => call.replace(/^[A-Z]+ /, "")).join(", ");
      return `- ${platform}, ${paths}: ${named(fields)}: ${why}.`;
    }),
  );
  return `\n${lines.join("\n")}\n\n`;
}
