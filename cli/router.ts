// Finds the command that the arguments name, with citty.
import { type ArgsDef, type CommandDef, runCommand } from "citty";
import { type AnyCommand, nearest, type Shell } from "./command.ts";
import { repeatable, usage } from "./failure.ts";

/** Flags with a value that may precede the command. */
const VALUE_FLAGS = ["--url", "--workspace"];

export interface Route {
  /** The named commands, outermost first; empty if no command was named. */
  path: AnyCommand[];
  /** The remaining arguments, for the last command. */
  args: string[];
}

/** Finds the command that `argv` names; flags may precede it. Throws if there is no such command. */
export function route(commands: AnyCommand[], argv: string[]): Route {
  const path: AnyCommand[] = [];
  const before: string[] = [];
  let below = commands;
  let index = 0;
  while (index < argv.length && below.length > 0) {
    const word = argv[index] ?? "";
    if (word === "--") break;
    if (word.startsWith("-") && word !== "-") {
      before.push(word);
      if (takesValue(word, path.at(-1)) && index + 1 < argv.length) before.push(argv[++index] ?? "");
      index++;
      continue;
    }
    const subcommand = below.find(({ name }) => name === word);
    if (subcommand === undefined) {
      const parent = path.at(-1);
      if (parent?.positionals !== undefined && parent.positionals.length > 0) break;
      const near = nearest(
        word,
        below.map(({ name }) => name),
      );
      const crier = ["crier", ...path.map(({ name }) => name)].join(" ");
      throw usage(
        repeatable(word) === null ? "Unknown command." : `Unknown command \`${crier} ${word}\`.`,
        near === null ? `${crier} --help` : `did you mean ${crier} ${near}? ${crier} --help lists all`,
      );
    }
    path.push(subcommand);
    below = subcommand.commands ?? [];
    index++;
  }
  return { path, args: [...before, ...argv.slice(index)] };
}

/** Whether the word after a flag is its value rather than a command. */
function takesValue(word: string, command: AnyCommand | undefined): boolean {
  if (VALUE_FLAGS.includes(word)) return true;
  return Object.entries(command?.flags ?? {}).some(
    ([name, { type, short }]) => type === "string" && (word === `--${name}` || word === `-${short}`),
  );
}

/** Runs the command at the end of a route and returns its exit code. */
export async function follow({ path, args }: Route, shell: Shell): Promise<number> {
  let code = 0;
  const outermost = path.reduceRight<CommandDef<ArgsDef> | null>((inner, command) => {
    const meta = { name: command.name, description: command.summary };
    if (inner !== null) return { meta, subCommands: { [innerName(inner)]: inner } };
    return {
      meta,
      async run({ rawArgs }) {
        code = (await command.runRaw(rawArgs, shell, path.map(({ name }) => name).join(" "))) ?? 0;
      },
    };
  }, null);
  if (outermost === null) throw usage("A command is required.", "crier --help");
  const [, ...innerCommands] = path;
  await runCommand(outermost, { rawArgs: [...innerCommands.map(({ name }) => name), ...args] });
  return code;
}

function innerName({ meta }: CommandDef<ArgsDef>): string {
  return typeof meta === "object" && "name" in meta ? (meta.name ?? "") : "";
}
