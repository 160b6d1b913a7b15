// Defines a command and parses its arguments: strictly, so that a typo never does something else.
import { type ParseArgsConfig, parseArgs } from "node:util";
import { Failure, repeatable, usage } from "./failure.ts";
import type { Output } from "./output/terminal.ts";

export interface Flag {
  type: "string" | "boolean";
  description: string;
  /** The value's placeholder in help. */
  value?: string;
  short?: string;
  /** May be repeated. */
  multiple?: true;
  /** The allowed values; any other value is refused before it is sent. */
  options?: readonly string[];
  /** Its value is a path. */
  file?: true;
  /** The value's placeholder in help, for a flag whose value is optional and follows `=`. */
  optionalValue?: string;
}
export type Flags = Record<string, Flag>;

export interface Positional {
  name: string;
  description: string;
  required?: true;
  /** The last one may be repeated. */
  many?: true;
}

/** The arguments typed for a command. */
export interface Arguments<Name extends string = string> {
  /** The value of a flag that is given at most once. */
  get(flag: Name): string | undefined;
  /** All values of a flag, in order. */
  getAll(flag: Name): string[];
  has(flag: Name): boolean;
  positionals: string[];
  /** The flags with a value, in the order in which they were typed. */
  typed: { name: string; value: string }[];
}

/** The process around a command. */
export interface Shell {
  env: NodeJS.ProcessEnv;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  out: Output;
  err: Output;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
}

export interface Command<F extends Flags = Flags> {
  name: string;
  summary: string;
  details?: string;
  positionals?: Positional[];
  flags: F;
  /** Example command lines with their descriptions. */
  examples: [string, string][];
  /** Resolves with the exit code; 0 if undefined. */
  run(args: Arguments<Extract<keyof F, string>>, shell: Shell): Promise<number | undefined>;
}
/** A command with its flag types erased. */
export interface AnyCommand extends Omit<Command, "run"> {
  hidden?: true;
  /** Its subcommands. */
  commands?: AnyCommand[];
  /** `path`: its name after those of the commands around it, for hints. */
  runRaw(args: string[], shell: Shell, path: string): Promise<number | undefined>;
}

/** Flags that every command has. */
export const HELP: Flags = { help: { type: "boolean", short: "h", description: "Show this help." } };

export function command<const F extends Flags>(
  definition: Command<F> & { hidden?: true; commands?: AnyCommand[] },
): AnyCommand {
  const { run, ...otherFields } = definition;
  return {
    ...otherFields,
    runRaw: (args, shell, path) => run(parseArguments({ ...definition, name: path }, args), shell),
  };
}

/** Parses `args` by the definition of a command. Throws a usage failure that names the problem. */
export function parseArguments<const F extends Flags>(
  { name, flags, positionals = [] }: Pick<Command<F>, "name" | "flags" | "positionals">,
  args: string[],
): Arguments<Extract<keyof F, string>> {
  const help = `crier ${name} --help`;
  const options: NonNullable<ParseArgsConfig["options"]> = Object.fromEntries(
    Object.entries({ ...flags, ...HELP }).map(([flag, { type, short }]) => [
      flag,
      { type, multiple: true, ...(short === undefined ? {} : { short }) },
    ]),
  );
  const { plain, given } = splitOptionalValues(flags, args);
  const parsed = parse(plain, options, help);
  const typed = new Map(Object.entries(parsed.values).map(([flag, value]) => [flag, [value].flat()]));
  for (const [flag, value] of given) typed.set(flag, [value]);
  for (const [flag, { multiple, options: values, type }] of Object.entries(flags)) {
    const typedValues = typed.get(flag) ?? [];
    if (multiple !== true && type === "string" && typedValues.length > 1)
      throw usage(`--${flag} is given twice.`, help);
    const strange = typedValues.find((value) => values !== undefined && !values.includes(String(value)));
    if (strange !== undefined) {
      const shownValue = typeof strange === "string" && repeatable(strange) !== null ? ` ${strange}` : "";
      throw usage(`--${flag}${shownValue} is not one of ${values?.join(", ")}.`, help);
    }
  }
  const extra = positionals.at(-1)?.many === true ? undefined : parsed.positionals[positionals.length];
  if (extra !== undefined) {
    const message =
      repeatable(extra) === null ? "There is an unexpected argument." : `\`${extra}\` is an unexpected argument.`;
    throw usage(message, `put text in quotes; ${help}`);
  }
  const missing = positionals.find(({ required }, i) => required === true && parsed.positionals[i] === undefined);
  if (missing !== undefined) throw usage(`${missing.name.toUpperCase()} is missing.`, help);
  return {
    get: (flag) => typed.get(flag)?.map(String)[0],
    getAll: (flag) => typed.get(flag)?.map(String) ?? [],
    has: (flag) => typed.has(flag),
    positionals: parsed.positionals,
    typed: parsed.tokens.flatMap((token) =>
      token.kind === "option" && token.value !== undefined ? [{ name: token.name, value: token.value }] : [],
    ),
  };
}

/** Extracts optional values after `=`, which `parseArgs` does not support. */
function splitOptionalValues(flags: Flags, args: string[]): { plain: string[]; given: Map<string, string> } {
  const inlineValues = new Map<string, string>();
  const end = args.indexOf("--");
  const plain = args.map((word, i) => {
    const [, flag = "", value = ""] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
    if (flags[flag]?.optionalValue === undefined || (end !== -1 && i > end)) return word;
    inlineValues.set(flag, value);
    return `--${flag}`;
  });
  return { plain, given: inlineValues };
}

function parse(args: string[], options: NonNullable<ParseArgsConfig["options"]>, help: string) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true, tokens: true });
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error)) throw error;
    const unknown = /^Unknown option '([^']+)'/.exec(error.message)?.[1];
    if (unknown !== undefined) {
      const near = nearest(unknown.replace(/^-+/, ""), Object.keys(options));
      throw usage(
        `Unknown option${repeatable(unknown) === null ? "" : ` ${unknown}`}.`,
        near === null ? help : `did you mean --${near}? ${help}`,
      );
    }
    throw usage(
      error.message
        .split("\n")[0]
        ?.replace(/'(-\w), (--[\w-]+)( <value>)?'/, "$2")
        .replace(/'(--[\w-]+) <value>'/, "$1") ?? "",
      help,
    );
  }
}

/** The entry of `known` that was probably meant; null if none is close. */
export function nearest(typed: string, candidates: string[]): string | null {
  const ranked = candidates.map((name) => ({ name, away: distance(typed, name) })).sort((a, b) => a.away - b.away);
  const [best] = ranked;
  return best !== undefined && best.away <= Math.ceil(typed.length / 3) ? best.name : null;
}

/** Letters to change, insert or delete. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
