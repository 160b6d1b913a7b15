// The parts of the documents that are printed from the code. `npm run docs` writes them, and test/unit/documents.test.ts compares them.
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import type { AnyCommand } from "../../../cli/command.ts";
import { COMMANDS } from "../../../cli/commands.ts";
import { EXIT } from "../../../cli/failure.ts";
import { placeholder } from "../../../cli/help.ts";
import { QUESTIONS } from "../../../scripts/smoke/analytics.ts";
import { PERSONAS } from "../../../simulators/personas.ts";
import { operations } from "../../../src/contract/index.ts";
import { getAccountScopes, getMinimumRole, getScopes, type Operation } from "../../../src/contract/operation.ts";
import { TAGS } from "../../../src/contract/tags.ts";
import { AUDIT_ACT_NAMES } from "../../../src/domain/audit.ts";
import { FAILURES } from "../../../src/domain/delivery/failure.ts";
import { REQUEST_WAITS_MS } from "../../../src/domain/delivery/follow-up-moves.ts";
import { SWEEP_EVERY_MS } from "../../../src/domain/limits.ts";
import { PLANS } from "../../../src/domain/plan.ts";
import { WARNINGS } from "../../../src/domain/posts/warning.ts";
import { RATE_LIMITS } from "../../../src/domain/rate-limit.ts";
import { REFUSALS } from "../../../src/domain/refusal-codes.ts";
import { ABILITIES, ABILITY_NAMES, allows, ROLES } from "../../../src/domain/roles.ts";
import { GUIDES } from "../../../src/mcp/guidance.ts";
import { tools } from "../../../src/mcp/tools.ts";
import { networks } from "../../../src/networks/index.ts";
import { describeAccess } from "./access.ts";
import { AUDIT_ACT_TEXTS } from "./audit-acts.ts";
import { DELIVERY_TABLES } from "./delivery-tables.ts";
import { descriptionRows, readThough } from "./descriptions.ts";
import { listShipped } from "./licenses.ts";
import { formatTime, limitRows } from "./limits.ts";
import { ROOT } from "./markdown.ts";
import { pollTable } from "./polls.ts";
import { table } from "./table.ts";

const code = (text: string) => `\`${text}\``;
const codes = (names: readonly string[]) => names.map(code).join(", ");

function importLaw(): string {
  const test = readFileSync(join(ROOT, "test/unit/architecture.test.ts"), "utf8");
  const [inner = ""] = /const INNER = .*?;\n/.exec(test) ?? [];
  const [, law = ""] = /const LAW: .*? = (\{\n.*?\n\});\n/s.exec(test) ?? [];
  return `\n\`\`\`ts\n${inner}const LAW = ${law};\n\`\`\`\n\n`;
}

function networkTable(): string {
  const rows = networks.map(({ rule, options }) => {
    const { text_limit, caption_limit, text_unit, media, min_media, post_types, measures, auth } = rule;
    const caption = caption_limit === text_limit ? "" : `, ${caption_limit} with a file`;
    const schema = z.toJSONSchema(options, { io: "input" });
    return [
      rule.platform,
      `${text_limit} ${text_unit}${caption}`,
      `${media.images} / ${media.videos}${media.mixed ? ", mixed" : ""}${min_media > 0 ? `; at least ${min_media}` : ""}`,
      post_types.join(", "),
      codes(Object.keys(schema.properties ?? {})),
      auth === "oauth" ? "OAuth" : "credentials",
      measures ? "yes" : "no",
      code(rule.delivery_guarantee),
    ];
  });
  return table(
    ["network", "text", "images / videos", "post types", "options", "connected by", "metrics", "guarantee"],
    rows,
  );
}

const versionTable = () =>
  table(
    ["network", "version", "supported until", "setting"],
    networks.map(({ rule: { platform, api }, versions }) => [
      platform,
      api.version === null ? "none" : code(api.version),
      api.supported_until ?? "",
      versions === undefined ? "" : code(versions.setting),
    ]),
  );

function permissionTable(): string {
  const rows = networks.flatMap(({ rule: { platform, permissions } }) => {
    if (permissions === undefined) return [];
    const { asked: askedScopes, sufficient, optional } = permissions;
    const lost = Object.entries(optional).map(([scope, sentence]) => `${code(scope)}: ${sentence}`);
    return [[platform, codes(askedScopes), sufficient.map(codes).join(" or "), lost.join(" ")]];
  });
  return table(["network", "asked for", "enough to publish", "what is lost without the rest"], rows);
}

const personaTable = () =>
  table(
    ["network", "persona", "of", "what it shows"],
    PERSONAS.map(({ platform, name, of: owner, shows }) => [platform, code(name), owner, shows]),
  );

/** Prints the list of networks in a guide for agents. */
function printGuide(name: string): () => string {
  return () => {
    const text = GUIDES.find((printGuide) => printGuide.name === name)?.text ?? "";
    return `\n${text.slice(text.indexOf("\n- ") + 1).trim()}\n\n`;
  };
}

/** Prints the connector of the example, with the imports of src/networks. */
function workedExample(): string {
  const files = globSync("test/networks/example/**/*.ts", { cwd: ROOT }).filter((file) => !/simulator/.test(file));
  const order = ["index", "rule", "api", "errors", "auth", "publish", "inspect"];
  const getPosition = (file: string) => (order.indexOf(basename(file, ".ts")) + order.length) % order.length;
  return files
    .sort((a, b) => getPosition(a) - getPosition(b) || a.localeCompare(b))
    .map((file) => {
      const text = readFileSync(join(ROOT, file), "utf8")
        .replaceAll(/(?:\.\.\/)+src\/networks\//g, "../")
        .replaceAll(/(?:\.\.\/)+src\//g, "../../");
      return `\n\`${basename(file)}\`:\n\n\`\`\`ts\n${text}\`\`\`\n\n`;
    })
    .join("")
    .replaceAll("\n\n\n", "\n\n");
}

const CREDENTIAL = {
  none: "none",
  session: "session",
  session_in_workspace: "session, in a workspace",
  key_or_session: "key or session",
};

function operationTable(): string {
  const allOperations = Object.values<Operation>(operations);
  return Object.entries(TAGS)
    .map(([tag, about]) => {
      const rows = allOperations
        .filter((operation) => operation.tag === tag)
        .map((operation) => [
          code(`${operation.method} ${operation.path}`),
          operation.summary,
          CREDENTIAL[operation.auth],
          getMinimumRole(operation) ?? "",
          getScopes(operation).map(code).join(" or "),
          getAccountScopes(operation).map(code).join(" or "),
        ]);
      return `\n### ${tag}\n\n${about}\n${table(["call", "description", "credential", "minimum role", "key scope", "account key scope"], rows)}`;
    })
    .join("")
    .replaceAll("\n\n\n", "\n\n");
}

const roleTable = () =>
  table(
    ["permission", ...ROLES, "key scope"],
    ABILITY_NAMES.map((ability) => [
      ABILITIES[ability].what,
      ...ROLES.map((role) => (allows(role, ability) ? "yes" : "")),
      ABILITIES[ability].scopes.map(code).join(" or "),
    ]),
  );

const errorTable = () =>
  table(
    ["status", "code", "message", "hint"],
    Object.entries<{ status: number; message: string; hint?: string }>(REFUSALS)
      .sort(([, a], [, b]) => a.status - b.status)
      .map(([name, { status, message, hint = "" }]) => [status, code(name), message, hint]),
  );

const failureTable = () =>
  table(
    ["error", "action", "hint"],
    Object.entries(FAILURES).map(([name, { action, hint }]) => [code(name), code(action), hint]),
  );

const warningList = () => `\n${codes(WARNINGS)}\n\n`;

const toolTable = () =>
  table(
    ["tool", "title", "operation", "only reads"],
    tools().map(({ name, title, operation, alternatives = [], hints }) => [
      code(name),
      title,
      [operation, ...alternatives].map(code).join(", "),
      hints.readOnlyHint ? "yes" : "",
    ]),
  );

const commandTable = () => {
  const rows = (commands: AnyCommand[], before: string): string[][] =>
    commands
      .filter(({ hidden }) => hidden !== true)
      .flatMap(({ name, summary, positionals = [], commands: below = [] }) => {
        const required = positionals.filter(({ required }) => required === true).map(placeholder);
        return [[code([before, name, ...required].join(" ")), summary], ...rows(below, `${before} ${name}`)];
      });
  return table(["command", "description"], rows(COMMANDS, "crier"));
};

const EXIT_MEANS: Record<keyof typeof EXIT, string> = {
  done: "done",
  unexpected: "unexpected, or no answer",
  usage: "wrong usage: nothing was sent",
  notAuthenticated: "not authenticated, or not allowed with this key (401, 403)",
  refused: "refused (404, 409, 413, 422)",
  planLimit: "plan limit (402)",
  rateLimited: "rate limited (429)",
  deliveryFailed: "a delivery did not go live (`post --wait`)",
  notFinished: "the post was not over in time (`post --wait=10m`); it goes on by itself",
  interrupted: "Ctrl-C",
};
const exitTable = () =>
  table(
    ["exit code", "meaning"],
    Object.entries(EXIT).map(([name, exit]) => [exit, EXIT_MEANS[name as keyof typeof EXIT]]),
  );

const MIB = 1024 ** 2;
const GIB = 1024 * MIB;
const planTable = () =>
  table(
    ["plan", "posts a month", "workspaces", "channels", "files", "drafts"],
    Object.entries(PLANS).map(([name, plan]) => [
      code(name),
      plan.posts_per_month ?? "no limit",
      plan.workspaces ?? "no limit",
      plan.channels ?? "no limit",
      plan.media_bytes === null ? "no limit" : `${plan.media_bytes / GIB} GiB`,
      plan.drafts === null || plan.draft_bytes === null ? "no limit" : `${plan.drafts}, ${plan.draft_bytes / MIB} MiB`,
    ]),
  );

const triesTable = () =>
  table(
    ["counter", "tries", "once exceeded"],
    Object.entries<(typeof RATE_LIMITS)[keyof typeof RATE_LIMITS]>(RATE_LIMITS).map(([name, limit]) => [
      code(name),
      limit.windows.map(([tries, ms]) => `${tries} in ${formatTime(ms)}`).join(", "),
      "backOff" in limit
        ? `a wait of ${formatTime(limit.backOff[0])} that doubles up to ${formatTime(limit.backOff[1])}`
        : "until the window has room",
    ]),
  );

const analyticsTable = () =>
  table(
    ["question", "alarming"],
    QUESTIONS.map(({ dataset, since, fields, alarming }) => [
      code(`${dataset}(limit: 100, filter: { ${since}: ... }) { ${fields} }`),
      alarming,
    ]),
  );

/** Prints the waits after a takedown or an edit without a clear answer. */
const takedownWaits = () =>
  `After an unclear answer, Crier asks the network again: the waits are ${REQUEST_WAITS_MS.map(formatTime).join(", ")}, ` +
  `each up to ${formatTime(SWEEP_EVERY_MS)} longer, until the sweeper's next round.`;

export const PRINTED: Record<string, Record<string, () => string>> = {
  "docs/apps.md": { "without-app": () => describeAccess(false), "with-app": () => describeAccess(true) },
  "docs/architecture.md": { law: importLaw },
  "docs/networks.md": {
    networks: networkTable,
    permissions: permissionTable,
    versions: versionTable,
    polls: pollTable,
    personas: personaTable,
    images: printGuide("image-sets"),
    videos: printGuide("video"),
    descriptions: () => table(["network", "package", "pages", "calls", "checks"], descriptionRows()),
    "read-though": readThough,
    "takedown-waits": takedownWaits,
  },
  "docs/delivery.md": DELIVERY_TABLES,
  "docs/add-a-network.md": { example: workedExample },
  "docs/api.md": { operations: operationTable, errors: errorTable, failures: failureTable, warnings: warningList },
  "docs/operations.md": { analytics: analyticsTable },
  "docs/workspaces.md": {
    roles: roleTable,
    acts: () =>
      table(
        ["act", "description"],
        AUDIT_ACT_NAMES.map((act) => [code(act), AUDIT_ACT_TEXTS[act]]),
      ),
  },
  "docs/mcp.md": { tools: toolTable },
  "docs/cli.md": { commands: commandTable, exit: exitTable },
  "docs/licenses.md": {
    packages: () =>
      table(
        ["package", "version", "licence", "in"],
        listShipped().map(({ name, version, license, parts }) => [code(name), version, license, parts.join(", ")]),
      ),
  },
  "docs/limits.md": {
    plans: planTable,
    limits: () => table(["item", "limit"], limitRows()),
    tries: triesTable,
  },
};
