/** What may be logged: ids and codes, never bodies, texts, addresses with queries, or secrets. */
export interface LogFields {
  request?: string;
  operation?: string;
  workspace?: string;
  channel?: string;
  post?: string;
  platform?: string;
  outcome?: string;
  status?: number;
  count?: number;
  error?: string;
}

/** One line of JSON. `error` is the cause's name and message with anything that looks like an address removed. */
export function log(level: "info" | "warn" | "error", event: string, fields: LogFields = {}): void {
  console[level](JSON.stringify({ event, ...fields }));
}

/** A thrown value as it may be logged: its innermost cause, because a failed query repeats its parameters in its own words. */
export function errorText(error: unknown): string {
  if (error instanceof Error && error.cause instanceof Error) return errorText(error.cause);
  const text = error instanceof Error ? `${nameOf(error)}: ${error.message}` : String(error);
  return text.replace(/https?:\/\/\S+/g, "<address>").slice(0, 500);
}

/** The code of an error, where it has one: some libraries name theirs by classes, whose names a built worker does not keep. */
const nameOf = (error: Error): string => ("code" in error && typeof error.code === "string" ? error.code : error.name);
