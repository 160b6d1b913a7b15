// The command line of a script that asks a deployment's database.
import { type ParseArgsConfig, parseArgs } from "node:util";

/** Where the database is; `remote` and `local` are two ways of saying one thing. */
export const PLACE_OPTIONS = {
  remote: { type: "boolean", default: false },
  local: { type: "boolean", default: false },
  "persist-to": { type: "string" },
  database: { type: "string", default: "DB" },
} as const;

/** Ends the process with 2, and says how the script is used. */
export function endWithUsage(complaint: string, usage: string): never {
  console.error(`${complaint}\n${usage}`);
  process.exit(2);
}

/** What was typed. A word that the script does not know ends it. */
export function readArguments<const Config extends ParseArgsConfig>(config: Config, usage: string) {
  try {
    return parseArgs(config);
  } catch (error) {
    return endWithUsage(error instanceof Error ? error.message : String(error), usage);
  }
}

/** The epoch milliseconds of an instant that was typed. One that is none, or has yet to come, ends the process. */
export function readInstant(option: string, text: string, usage: string): number {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z$/.test(text) || Number.isNaN(Date.parse(text))) {
    endWithUsage(`Say ${option} as an instant in UTC, as 2026-11-22T10:05:00Z.`, usage);
  }
  if (Date.parse(text) > Date.now()) endWithUsage(`${option} must have passed.`, usage);
  return Date.parse(text);
}
