/** The fields that may be logged: ids and codes, never bodies, texts, addresses with queries, or secrets. */
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

/**
 * A thrown value in a form that may be logged: its innermost cause, because the message of a failed query repeats its
 * parameters.
 */
export function errorText(error: unknown): string {
  if (error instanceof Error && error.cause instanceof Error) return errorText(error.cause);
  const text = error instanceof Error ? `${getErrorName(error)}: ${error.message}` : String(error);
  return text.replace(/https?:\/\/\S+/g, "<address>").slice(0, 500);
}

/**
 * The code of an error, if it has one. Some libraries identify errors by class, and a bundled worker does not keep class
 * names.
 */
const getErrorName = (error: Error): string =>
  "code" in error && typeof error.code === "string" ? error.code : error.name;
