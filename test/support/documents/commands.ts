// Finds mistakes in the commands of documents without running them.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { experimental_getWranglerCommands } from "wrangler";
import { parseArguments } from "../../../cli/command.ts";
import { COMMANDS } from "../../../cli/commands.ts";
import { route } from "../../../cli/router.ts";
import { openApi } from "../../../src/http/openapi/document.ts";
import { ROOT } from "./markdown.ts";

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const scripts: Record<string, string> = JSON.parse(read("package.json")).scripts;
const paths = openApi("http://127.0.0.1", "0").paths;

/** Commands of the shell, and of every machine. */
const ORDINARY = new Set("cd echo printf git openssl cat date test grep head for do done }".split(" "));
/** The beginnings of commands of other programs. */
const OTHERS = ["claude mcp add"];

/** Finds the mistake of a command, or null. `functions` are the shell functions that the document defines. */
export function findFault(words: string[], functions: ReadonlySet<string> = new Set()): string | null {
  const from = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  if (from === -1) return null;
  const [program = "", ...args] = words.slice(from);
  if (program === "export") return findFault(args, functions);
  if (program.endsWith("()")) return findFault(args.slice(1), functions);
  if (ORDINARY.has(program) || functions.has(program)) return null;
  if (program === "npm") return findNpmFault(args);
  if (program === "npx") return findNpxFault(args);
  if (program === "node") return findNodeFault(args);
  if (program === "crier") return findCrierFault(args);
  if (program === "curl") return findCurlFault(args);
  return OTHERS.some((prefix) => [program, ...args].join(" ").startsWith(prefix))
    ? null
    : `${program} is not known here`;
}

function findNpmFault(args: string[]): string | null {
  const [command = "", ...otherArgs] = args.filter((word) => word !== "-s");
  if (["install", "ci"].includes(command)) return null;
  const name = command === "run" ? (otherArgs[0] ?? "") : command;
  const script = scripts[name];
  if (script === undefined) return `npm run ${name}: there is no such script`;
  const scriptArgs = otherArgs.slice(otherArgs.indexOf("--") + 1);
  if (otherArgs.indexOf("--") === -1) return null;
  if (name === "crier") return findCrierFault(scriptArgs);
  return name === "test" || name.startsWith("test:") ? findTestFault(scriptArgs) : findFlagsFault(script, scriptArgs);
}

/** Checks the names of test projects. Other words may be parts of file paths. */
function findTestFault(args: string[]): string | null {
  const projects = args.flatMap((word, i) => (args[i - 1] === "--project" ? [word] : []));
  const config = read("test/vitest.config.ts");
  const unknown = projects.find((name) => !config.includes(`"${name}"`));
  return unknown === undefined ? null : `there is no project ${unknown}`;
}

/** Checks that the flags are read in the script's folder, or in the folder with its name. */
function findFlagsFault(script: string, args: string[]): string | null {
  const [, file] = /^node (\S+\.ts)$/.exec(script) ?? [];
  if (file === undefined) return null;
  const code = globSync([`${dirname(file)}/*.ts`, `${file.replace(/\.ts$/, "")}/*.ts`], { cwd: ROOT })
    .map(read)
    .join("\n");
  const flags = args.filter((word) => word.startsWith("--")).map((word) => word.slice(2));
  const unknown = flags.find((flag) => !new RegExp(`["'\`](?:--)?${flag}\\b|\\b${flag}:|--${flag}\\b`).test(code));
  return unknown === undefined ? null : `${file} has no flag --${unknown}`;
}

function findNpxFault(args: string[]): string | null {
  const words = args.filter((word, i) => word !== "--yes" && word !== "--package" && args[i - 1] !== "--package");
  const [program = "", ...otherWords] = words;
  if (args.includes("--package"))
    return program === "crier" ? findCrierFault(otherWords) : `${program} is not packed here`;
  if (program === "wrangler") return findWranglerFault(otherWords);
  return existsSync(join(ROOT, "node_modules/.bin", program)) ? null : `${program} is not installed`;
}

/** Checks commands of wrangler, which cannot run without an account, against the list of commands in wrangler itself. */
function findWranglerFault(args: string[]): string | null {
  const { registry, globalFlags } = experimental_getWranglerCommands();
  let commandNode = registry;
  let depth = 0;
  for (
    let next = commandNode.subtree.get(args[depth] ?? "");
    next !== undefined;
    next = commandNode.subtree.get(args[depth] ?? "")
  ) {
    commandNode = next;
    depth++;
  }
  const { definition } = commandNode;
  if (definition?.type !== "command") return `wrangler ${args.join(" ")} is not known here`;
  const flags = new Set([...Object.keys(definition.args ?? {}), ...Object.keys(globalFlags)]);
  const unknown = args
    .slice(depth)
    .flatMap((word) => (word.startsWith("--") ? [word.slice(2).split("=")[0] ?? ""] : []))
    .find((flag) => !flags.has(flag));
  return unknown === undefined ? null : `wrangler ${args.slice(0, depth).join(" ")} has no flag --${unknown}`;
}

function findNodeFault([first = ""]: string[]): string | null {
  return /^-\w*[pe]$/.test(first) || existsSync(join(ROOT, first)) ? null : `${first} is not there`;
}

function findCrierFault(args: string[]): string | null {
  if (args.length === 1 && (args[0] === "--help" || args[0] === "--version")) return null;
  try {
    const routed = route(COMMANDS, args);
    const command = routed.path.at(-1);
    if (command === undefined) return "no command is named";
    parseArguments(command, routed.args);
    return null;
  } catch (error) {
    return `crier ${args.join(" ")}: ${error instanceof Error ? error.message : error}`;
  }
}

/** The flags of curl with a value that the documents use. */
const CURL_VALUES = new Set(["-H", "-d", "-X", "-o", "--data-binary", "--upload-file", "--header"]);

function findCurlFault(args: string[]): string | null {
  const getFlag = (flag: string) => args.find((_, i) => args[i - 1] === flag);
  const address = args.find((word, i) => !word.startsWith("-") && !CURL_VALUES.has(args[i - 1] ?? ""));
  if (address === undefined) return "curl has no address";
  // The address comes from an earlier answer.
  if (/^\$(\w+|\(.*\))$/s.test(address)) return null;
  const method = getFlag("-X") ?? (args.includes("-d") ? "POST" : "GET");
  const [, path = "/"] = /^(?:\$\w+|https?:\/\/[^/]+)(\/[^?]*)?/.exec(address) ?? [];
  return findCallFault(method, path);
}

/** Checks that Crier or its simulators answer a call. */
export function findCallFault(method: string, path: string): string | null {
  const candidates = path.startsWith("/_sim/") ? listControls() : listServed();
  return candidates.some(([verb, pattern]) => verb === method && matchesPath(pattern, path))
    ? null
    : `nothing answers ${method} ${path}`;
}

type Call = [method: string, pattern: string];

const listServed = (): Call[] => [
  ...Object.entries(paths).flatMap(([path, calls]) =>
    Object.keys(calls).map((method): Call => [method.toUpperCase(), path]),
  ),
  ...listMounted("src/http/documents.ts"),
  // Calls of the protocol: src/mcp/front.ts and src/http/oauth.
  ["GET", "/mcp"],
];
const listControls = (): Call[] => listMounted("simulators/controls.ts");

const listMounted = (file: string): Call[] =>
  [...read(file).matchAll(/app\.(get|post|put|delete)\("([^"]+)"/g)].map(([, method = "", path = ""]) => [
    method.toUpperCase(),
    path,
  ]);

/** Whether a path matches a pattern, whose parameters are `{name}` or `:name`. */
function matchesPath(pattern: string, path: string): boolean {
  const [patternParts, pathParts] = [pattern.split("/"), path.split("/")];
  return (
    patternParts.length === pathParts.length &&
    patternParts.every((patternPart, i) => /^[{:]/.test(patternPart) || patternPart === pathParts[i])
  );
}
