// Help, as wide as the terminal.
import type { AnyCommand, Flag } from "./command.ts";
import { hanging, type Output, padded, widthOf } from "./output/terminal.ts";
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
    const size = Math.max(0, ...rows.map(({ name }) => widthOf(name ?? "")));
    for (const { name, text } of rows) {
      if (name === undefined) for (const line of hanging(title === "" ? "" : INDENT, text, width)) output.line(line);
      else if (size + 30 > width) {
        output.line(INDENT + output.paint("cyan", name));
        for (const line of hanging(INDENT.repeat(3), text, width)) output.line(line);
      } else {
        const [first = "", ...rest] = hanging(INDENT + padded(name, size + 2), text, width);
        output.line(first.replace(name, () => output.paint("cyan", name)));
        for (const line of rest) output.line(line);
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
  const shown = commands.filter(({ hidden }) => hidden !== true);
  return [
    { title: "", rows: [{ text: `crier ${VERSION}: one post to many social networks.` }] },
    { title: "Usage", rows: [{ text: "crier COMMAND [WORDS AND FLAGS]" }] },
    { title: "Commands", rows: shown.map(({ name, summary }) => ({ name, text: summary })) },
    {
      title: "Everywhere",
      rows: [
        { name: "--help, -h", text: "What a command does, with examples: crier post --help" },
        { name: "--json", text: "The service's own answer as JSON on stdout, also when it refuses." },
        { name: "--url ADDRESS", text: "The service; before CRIER_URL and the stored address." },
        { name: "--version", text: "The version of this program." },
      ],
    },
    {
      title: "Begin",
      rows: [
        { name: "crier login --url https://crier.example.com", text: "Stores the workspace key that you paste." },
        { name: "crier channels", text: "Where you can post." },
        { name: "crier post 'Hello' --channel @you --dry-run", text: "What would happen; nothing is sent." },
      ],
    },
    {
      title: "Environment",
      rows: [
        { name: "CRIER_API_KEY", text: "The workspace key; before the stored one." },
        { name: "CRIER_SESSION", text: "The token of a session, for crier keys; before signing in." },
        { name: "CRIER_URL", text: "The address of the service; before the stored one." },
        { name: "NO_COLOR", text: "No colours, not even on a terminal." },
      ],
    },
    {
      title: "Exit codes",
      rows: [
        {
          text:
            "0 done · 1 unexpected or network · 2 usage · 3 not authenticated · 4 refused · 5 plan limit · " +
            "6 rate limited · 7 a delivery failed (post --wait) · 8 it was not over in time (post --wait=10m)",
        },
      ],
    },
  ];
}

function commandHelp(path: AnyCommand[], command: AnyCommand): Section[] {
  const { summary, details, positionals = [], flags, examples, commands = [] } = command;
  const words = positionals.map(({ name, required }) => (required ? name.toUpperCase() : `[${name.toUpperCase()}]`));
  const usage = ["crier", ...path.map(({ name }) => name), ...words, "[FLAGS]"].join(" ");
  const all = { ...flags, help: { type: "boolean", short: "h", description: "Show this help." } as const };
  return [
    {
      title: "",
      rows: [summary, ...(details === undefined ? [] : ["", ...details.split("\n")])].map((text) => ({ text })),
    },
    { title: "Usage", rows: [{ text: usage }] },
    { title: "Words", rows: positionals.map(({ name, description: text }) => ({ name: name.toUpperCase(), text })) },
    { title: "Commands", rows: commands.map(({ name, summary: text }) => ({ name, text })) },
    {
      title: "Flags",
      rows: Object.entries(all).map(([name, flag]) => ({ name: flagName(name, flag), text: flagText(flag) })),
    },
    { title: "Examples", rows: examples.flatMap(([line, text]) => [{ text: line }, { text: `${INDENT}${text}` }]) },
  ].filter(({ rows }) => rows.length > 0);
}

function flagName(name: string, { short, type, value, optionalValue }: Flag): string {
  const optional = optionalValue === undefined ? "" : `[=${optionalValue}]`;
  const word = type === "boolean" ? optional : ` ${value ?? "VALUE"}`;
  return `--${name}${word}${short === undefined ? "" : `, -${short}`}`;
}

function flagText({ description, multiple, options }: Flag): string {
  const values = options === undefined ? "" : ` One of ${options.join(", ")}.`;
  return `${description}${values}${multiple === true ? " May be repeated." : ""}`;
}
