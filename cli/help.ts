// Help, as wide as the terminal.
import type { AnyCommand, Flag, Positional } from "./command.ts";
import { hanging, measureWidth, type Output, padded } from "./output/terminal.ts";
import { VERSION } from "./version.ts";

const INDENT = "  ";
/** Wide enough to use, narrow enough to read. */
const WIDTH_MAX = 100;

export function writeHelp(output: Output, path: AnyCommand[], commands: AnyCommand[]): void {
  const command = path.at(-1);
  const lines = command === undefined ? rootHelp(commands) : commandHelp(path, command);
  const width = Math.min(output.width(), WIDTH_MAX);
  for (const { title, rows } of lines) {
    if (title !== "") output.line(output.paint("bold", title));
    const size = Math.max(0, ...rows.map(({ name }) => measureWidth(name ?? "")));
    for (const { name, text } of rows) {
      if (name === undefined) for (const line of hanging(title === "" ? "" : INDENT, text, width)) output.line(line);
      else if (size + 30 > width) {
        output.line(INDENT + output.paint("cyan", name));
        for (const line of hanging(INDENT.repeat(3), text, width)) output.line(line);
      } else {
        const [first = "", ...followingLines] = hanging(INDENT + padded(name, size + 2), text, width);
        output.line(first.replace(name, () => output.paint("cyan", name)));
        for (const line of followingLines) output.line(line);
      }
    }
    output.line();
  }
}

interface Section {
  title: string;
  rows: { name?: string; text: string }[];
}

function rootHelp(commands: AnyCommand[]): Section[] {
  const visibleCommands = commands.filter(({ hidden }) => hidden !== true);
  return [
    { title: "", rows: [{ text: `crier ${VERSION}: one post to many social networks.` }] },
    { title: "Usage", rows: [{ text: "crier COMMAND [ARGUMENTS] [FLAGS]" }] },
    { title: "Commands", rows: visibleCommands.map(({ name, summary }) => ({ name, text: summary })) },
    {
      title: "Global flags",
      rows: [
        { name: "--help, -h", text: "Show help for a command, with examples: crier post --help" },
        { name: "--json", text: "Print the API's response as JSON on stdout, including errors." },
        { name: "--url ADDRESS", text: "Address of the service. Overrides CRIER_URL and the stored address." },
        { name: "--version", text: "Show the version." },
      ],
    },
    {
      title: "Get started",
      rows: [
        { name: "crier login --url https://crier.example.com", text: "Store a workspace key." },
        { name: "crier channels", text: "List your channels." },
        { name: "crier post 'Hello' --channel @you --dry-run", text: "Check a post without sending it." },
      ],
    },
    {
      title: "Environment",
      rows: [
        { name: "CRIER_API_KEY", text: "Workspace key. Overrides the stored key." },
        { name: "CRIER_SESSION", text: "Session token for crier keys and crier audit. Replaces signing in." },
        { name: "CRIER_URL", text: "Address of the service. Overrides the stored address." },
        { name: "NO_COLOR", text: "Disable colors." },
      ],
    },
    {
      title: "Exit codes",
      rows: [
        {
          text:
            "0 success · 1 unexpected or network error · 2 usage error · 3 not authenticated · 4 refused · 5 plan limit · " +
            "6 rate limited · 7 a delivery failed (post --wait) · 8 not finished in time (post --wait=10m)",
        },
      ],
    },
  ];
}

function commandHelp(path: AnyCommand[], command: AnyCommand): Section[] {
  const { summary, details, positionals = [], flags, examples, commands = [] } = command;
  const placeholders = positionals.map((positional) =>
    positional.required ? placeholder(positional) : `[${placeholder(positional)}]`,
  );
  const usage = ["crier", ...path.map(({ name }) => name), ...placeholders, "[FLAGS]"].join(" ");
  const allFlags = { ...flags, help: { type: "boolean", short: "h", description: "Show this help." } as const };
  return [
    {
      title: "",
      rows: [summary, ...(details === undefined ? [] : ["", ...details.split("\n")])].map((text) => ({ text })),
    },
    { title: "Usage", rows: [{ text: usage }] },
    {
      title: "Arguments",
      rows: positionals.map(({ name, description: text }) => ({ name: name.toUpperCase(), text })),
    },
    { title: "Commands", rows: commands.map(({ name, summary: text }) => ({ name, text })) },
    {
      title: "Flags",
      rows: Object.entries(allFlags).map(([name, flag]) => ({ name: flagName(name, flag), text: flagText(flag) })),
    },
    { title: "Examples", rows: examples.flatMap(([line, text]) => [{ text: line }, { text: `${INDENT}${text}` }]) },
  ].filter(({ rows }) => rows.length > 0);
}

/** How an argument is written in help: `POST`, or `POST...` if it may be repeated. */
export const placeholder = ({ name, many }: Positional) => `${name.toUpperCase()}${many === true ? "..." : ""}`;

function flagName(name: string, { short, type, value, optionalValue }: Flag): string {
  const optional = optionalValue === undefined ? "" : `[=${optionalValue}]`;
  const word = type === "boolean" ? optional : ` ${value ?? "VALUE"}`;
  return `--${name}${word}${short === undefined ? "" : `, -${short}`}`;
}

function flagText({ description, multiple, options }: Flag): string {
  const values = options === undefined ? "" : ` One of ${options.join(", ")}.`;
  return `${description}${values}${multiple === true ? " May be repeated." : ""}`;
}
