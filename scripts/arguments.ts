// The command line of a script that queries a deployment's database.
import { type ParseArgsConfig, parseArgs } from "node:util";

/** Which database to use; `remote` and `local` set the same choice. */
export const PLACE_OPTIONS = {
  remote: { type: "boolean", default: false },
  local: { type: "boolean", default: false },
  "persist-to": { type: "string" },
  database: { type: "string", default: "DB" },
} as const;

/** Prints the complaint and the usage, then exits with code 2. */
export function endWithUsage(complaint: string, usage: string): never {
  console.error(`${complaint}\n${usage}`);
  process.exit(2);
}

/** Parses the arguments. An unknown argument ends the process. */
export function readArguments<const Config extends ParseArgsConfig>(config: Config, usage: string) {
  try {
    return parseArgs(config);
  } catch (error) {
    return endWithUsage(error instanceof Error ? error.message : String(error), usage);
  }
}

/** The epoch milliseconds of a typed instant. An invalid or future instant ends the process. */
export function readInstant(option: string, text: string, usage: string): number {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z$/.test(text) || Number.isNaN(Date.parse(text))) {
    endWithUsage(`${option} must be a UTC time such as 2026-11-22T10:05:00Z.`, usage);
  }
  if (Date.parse(text) > Date.now()) endWithUsage(`${option} must be in the past.`, usage);
  return Date.parse(text);
}
