// Converts schema issues to refusals with a code, a JSON pointer and a hint.
import * as z from "zod";
import { VIOLATIONS_MAX } from "../domain/limits.ts";
import { hintOfUnknown } from "../domain/nearest-name.ts";
import { OPTION_FAULTS, type OptionFault, type Unit } from "../domain/posts/units.ts";
import { type Refusal, refuse, refuseViolations, violation } from "../domain/refusal.ts";
import { REFUSALS, type RefusalCode } from "../domain/refusal-codes.ts";

type Issue = z.core.$ZodIssue;

/** The parse options for callers' values, which `describe` relies on. */
export const READING = {
  reportInput: true,
  // An issue does not list the names that its object knows, so they replace its message.
  error: (issue) =>
    issue.code === "unrecognized_keys" && issue.inst instanceof z.ZodObject
      ? Object.keys(issue.inst.shape).join(" ")
      : undefined,
} satisfies z.core.ParseContext<Issue>;

/**
 * The refusal of the first issue: a schema's own refusal code, or the code for the issue's kind. Codes that the
 * operation lists as `violations` are returned together.
 */
export function refuseIssues(issues: readonly Issue[], violations: readonly RefusalCode[] = []): Refusal {
  // A body of unknown fields only is one issue with thousands of names. Only the first issue is answered, so only that
  // one is described.
  const [first] = issues.slice(0, 1).flatMap(describe);
  if (first === undefined) throw new Error("a refusal needs an issue");
  const { code, path, ...texts } = first;
  if (!violations.includes(code)) return refuse(code, { field: pointer(path), ...texts });
  const problems = issues.flatMap(describe).filter((problem) => violations.includes(problem.code));
  return refuseViolations(
    problems.map(({ code, path, ...texts }) => violation(code, { field: pointer(path), ...texts })),
  );
}

/** A JSON pointer (RFC 6901) of a path. */
export function pointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function isRefusalCode(text: string): text is RefusalCode {
  return Object.hasOwn(REFUSALS, text);
}

export interface Description {
  code: RefusalCode;
  path: PropertyKey[];
  message?: string;
  hint?: string;
  /** The most that the value may have, if it has more. */
  limit?: number;
  unit?: Unit;
  option_fault?: OptionFault;
}

/** Describes an issue of a value that was parsed with `READING`. Each unknown field gets an entry of its own. */
export function describe(issue: Issue): Description[] {
  const name = pointer(issue.path);
  if (issue.input === undefined && issue.code !== "unrecognized_keys") {
    return [{ code: "missing_field", path: issue.path, message: `\`${name}\` is required.` }];
  }
  if (isRefusalCode(issue.message)) {
    const hint = issue.code === "invalid_value" ? { hint: `Allowed values: ${listed(issue.values)}.` } : {};
    return [{ code: issue.message, path: issue.path, ...hint }];
  }
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, VIOLATIONS_MAX).map((key) => ({
      code: "unknown_field",
      path: [...issue.path, key],
      message: `Unknown field \`${key}\`.`,
      hint: hintOfUnknown(key, issue.message.split(" ").filter(Boolean)),
    }));
  }
  return [{ code: "invalid_field", path: issue.path, message: `\`${name}\`: ${issue.message}.`, ...findLimit(issue) }];
}

function findLimit(issue: Issue): Pick<Description, "limit" | "unit" | "option_fault"> {
  if (issue.code === "custom")
    return OPTION_FAULTS.includes(issue.params?.fault) ? { option_fault: issue.params?.fault } : {};
  if (issue.code !== "too_big" || typeof issue.maximum !== "number") return {};
  const unit = LENGTH_UNITS[issue.origin];
  return { limit: issue.maximum, ...(unit === undefined ? {} : { unit }) };
}
const LENGTH_UNITS: Partial<Record<string, Unit>> = { string: "characters", array: "entries" };

const listed = (values: readonly unknown[]) => values.map((value) => `\`${value}\``).join(", ");
