// What is wrong with a command that a document tells its reader to type, as far as it can be said without running it.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { experimental_getWranglerCommands } from "wrangler";
import { readWords } from "../../../cli/command.ts";
import { COMMANDS } from "../../../cli/commands.ts";
import { route } from "../../../cli/router.ts";
import { openApi } from "../../../src/http/openapi/document.ts";
import { ROOT } from "./markdown.ts";

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const scripts: Record<string, string> = JSON.parse(read("package.json")).scripts;
const paths = openApi("http://127.0.0.1", "0").paths;

/** What the shell and every machine have. */
const ORDINARY = new Set(["cd", "echo", "printf", "git", "openssl", "cat", "}"]);
/** Of programs that are not ours. */
const OTHERS = ["claude mcp add"];

/** null: nothing is wrong. `functions`: what the document has defined itself. */
export function faultOf(words: string[], functions: ReadonlySet<string> = new Set()): string | null {
  const from = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  if (from === -1) return null;
  const [program = "", ...args] = words.slice(from);
  if (program === "export") return faultOf(args, functions);
  if (program.endsWith("()")) return faultOf(args.slice(1), functions);
  if (ORDINARY.has(program) || functions.has(program)) return null;
  if (program === "npm") return npmFault(args);
  if (program === "npx") return npxFault(args);
  if (program === "node") return nodeFault(args);
  if (program === "crier") return crierFault(args);
  if (program === "curl") return curlFault(args);
  return OTHERS.some((other) => [program, ...args].join(" ").startsWith(other)) ? null : `${program} is not known here`;
}

function npmFault(args: string[]): string | null {
  const [command = "", ...rest] = args.filter((word) => word !== "-s");
  if (["install", "ci"].includes(command)) return null;
  const name = command === "run" ? (rest[0] ?? "") : command;
  const script = scripts[name];
  if (script === undefined) return `npm run ${name}: there is no such script`;
  const given = rest.slice(rest.indexOf("--") + 1);
  if (rest.indexOf("--") === -1) return null;
  if (name === "crier") return crierFault(given);
  return name === "test" || name.startsWith("test:") ? testFault(given) : flagsFault(script, given);
}

/** Projects of the tests; anything else is a part of a file's path. */
function testFault(args: string[]): string | null {
  const projects = args.flatMap((word, i) => (args[i - 1] === "--project" ? [word] : []));
  const config = read("test/vitest.config.ts");
  const unknown = projects.find((name) => !config.includes(`"${name}"`));
  return unknown === undefined ? null : `there is no project ${unknown}`;
}

/** Flags that are read in the script's own folder, or in the one of its name. */
function flagsFault(script: string, args: string[]): string | null {
  const [, file] = /^node (\S+\.ts)$/.exec(script) ?? [];
  if (file === undefined) return null;
  const code = globSync([`${dirname(file)}/*.ts`, `${file.replace(/\.ts$/, "")}/*.ts`], { cwd: ROOT })
    .map(read)
    .join("\n");
  const flags = args.filter((word) => word.startsWith("--")).map((word) => word.slice(2));
  const unknown = flags.find((flag) => !new RegExp(`["'\`](?:--)?${flag}\\b|\\b${flag}:|--${flag}\\b`).test(code));
  return unknown === undefined ? null : `${file} has no flag --${unknown}`;
}

function npxFault(args: string[]): string | null {
  const words = args.filter((word, i) => word !== "--yes" && word !== "--package" && args[i - 1] !== "--package");
  const [program = "", ...rest] = words;
  if (args.includes("--package")) return program === "crier" ? crierFault(rest) : `${program} is not packed here`;
  if (program === "wrangler") return wranglerFault(rest);
  return existsSync(join(ROOT, "node_modules/.bin", program)) ? null : `${program} is not installed`;
}

/** An account of Cloudflare's is needed to run these: so the wrangler of package.json is asked whether it knows them. */
function wranglerFault(args: string[]): string | null {
  const { registry, globalFlags } = experimental_getWranglerCommands();
  let known = registry;
  let at = 0;
  for (let next = known.subtree.get(args[at] ?? ""); next !== undefined; next = known.subtree.get(args[at] ?? "")) {
    known = next;
    at++;
  }
  const { definition } = known;
  if (definition?.type !== "command") return `wrangler ${args.join(" ")} is not known here`;
  const flags = new Set([...Object.keys(definition.args ?? {}), ...Object.keys(globalFlags)]);
  const unknown = args
    .slice(at)
    .flatMap((word) => (word.startsWith("--") ? [word.slice(2).split("=")[0] ?? ""] : []))
    .find((flag) => !flags.has(flag));
  return unknown === undefined ? null : `wrangler ${args.slice(0, at).join(" ")} has no flag --${unknown}`;
}

function nodeFault([first = ""]: string[]): string | null {
  return /^-\w*[pe]$/.test(first) || existsSync(join(ROOT, first)) ? null : `${first} is not there`;
}

function crierFault(args: string[]): string | null {
  if (args.length === 1 && (args[0] === "--help" || args[0] === "--version")) return null;
  try {
    const found = route(COMMANDS, args);
    const command = found.path.at(-1);
    if (command === undefined) return "no command is named";
    readWords(command, found.args);
    return null;
  } catch (error) {
    return `crier ${args.join(" ")}: ${error instanceof Error ? error.message : error}`;
  }
}

/** curl's flags that have a value, of those that the documents use. */
const CURL_VALUES = new Set(["-H", "-d", "-X", "-o", "--data-binary", "--upload-file", "--header"]);

function curlFault(args: string[]): string | null {
  const given = (flag: string) => args.find((_, i) => args[i - 1] === flag);
  const address = args.find((word, i) => !word.startsWith("-") && !CURL_VALUES.has(args[i - 1] ?? ""));
  if (address === undefined) return "curl has no address";
  // An address that an answer gave.
  if (/^\$(\w+|\(.*\))$/s.test(address)) return null;
  const method = given("-X") ?? (args.includes("-d") ? "POST" : "GET");
  const [, path = "/"] = /^(?:\$\w+|https?:\/\/[^/]+)(\/[^?]*)?/.exec(address) ?? [];
  return callFault(method, path);
}

/** Whether Crier or its simulators answer a call. */
export function callFault(method: string, path: string): string | null {
  const known = path.startsWith("/_sim/") ? controls() : served();
  return known.some(([verb, pattern]) => verb === method && fits(pattern, path))
    ? null
    : `nothing answers ${method} ${path}`;
}

type Call = [method: string, pattern: string];

const served = (): Call[] => [
  ...Object.entries(paths).flatMap(([path, calls]) =>
    Object.keys(calls).map((method): Call => [method.toUpperCase(), path]),
  ),
  ...mounted("src/http/documents.ts"),
  // What the protocol asks for: src/mcp/front.ts and src/http/oauth.
  ["GET", "/mcp"],
];
const controls = (): Call[] => mounted("simulators/controls.ts");

const mounted = (file: string): Call[] =>
  [...read(file).matchAll(/app\.(get|post|put|delete)\("([^"]+)"/g)].map(([, method = "", path = ""]) => [
    method.toUpperCase(),
    path,
  ]);

/** Whether a path is of a pattern, whose parameters are `{name}` or `:name`. */
function fits(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  return wanted.length === given.length && wanted.every((part, i) => /^[{:]/.test(part) || part === given[i]);
}
