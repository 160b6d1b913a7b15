// A refusal for a caller, and the violations that it may list.
import type { CodeEntry } from "./code-entry.ts";
import { VIOLATIONS_MAX } from "./limits.ts";
import type { FileScope, MediaKind, PostType } from "./posts/platform-rule.ts";
import type { OptionFault, Unit } from "./posts/units.ts";
import { REFUSALS, type RefusalCode } from "./refusal-codes.ts";
import { toNetworkMessage } from "./visible-text.ts";

/** One broken rule of a post, with all that a caller needs to fix it. */
export interface Violation {
  code: RefusalCode;
  /** JSON pointer into the request body. */
  field?: string;
  channel?: string;
  platform?: string;
  message: string;
  hint?: string;
  limit?: number;
  actual?: number;
  unit?: Unit;
  over_by?: number;
  at_least?: boolean;
  /** The type that the post has on the channel. */
  post_type?: PostType;
  /** The values that are accepted instead: content types, post types, or an option's values. */
  allowed?: string[];
  /** The file's content type. */
  content_type?: string;
  media_kind?: MediaKind;
  /** true: the file would be accepted with `media_fit: "adapt"`. */
  adaptable?: boolean;
  /** The characters that the network does not accept. */
  characters?: string[];
  /** The nearest local times that exist. */
  nearest?: string[];
  /** The option that the violation is about. */
  option?: string;
  option_fault?: OptionFault;
  /** The posts that the option is for. */
  option_needs?: { post_types?: PostType[]; media?: FileScope };
  /** The permission that the account's owner did not grant. */
  permission?: string;
}

export interface RefusalDetail {
  message?: string;
  hint?: string;
  field?: string;
  /** The network's message, unchanged. */
  networkMessage?: string | undefined;
  violations?: Violation[];
  /** Members of the body that only some refusals have (402, 412, 429, and a post with very many violations). */
  extra?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** A refusal for a caller. The causes of all other errors go to the log. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly code: RefusalCode;
  readonly status: number;
  readonly detail: RefusalDetail;

  constructor(code: RefusalCode, detail: RefusalDetail = {}) {
    super(detail.message ?? REFUSALS[code].message);
    this.code = code;
    this.status = REFUSALS[code].status;
    this.detail = detail;
  }

  /** The body as every transport shows it. */
  body(requestId: string): Record<string, unknown> {
    const entry: CodeEntry = REFUSALS[this.code];
    const { hint = entry.hint, field, violations, extra } = this.detail;
    const networkMessage = toNetworkMessage(this.detail.networkMessage);
    return {
      error: this.code,
      message: this.message,
      ...(hint === undefined ? {} : { hint }),
      ...(field === undefined ? {} : { field }),
      ...(networkMessage === undefined ? {} : { network_message: networkMessage }),
      ...extra,
      ...(violations === undefined ? {} : { violations }),
      request_id: requestId,
    };
  }
}

/** A refusal to throw: `throw refuse("not_found")`. */
export function refuse(code: RefusalCode, detail?: RefusalDetail): Refusal {
  return new Refusal(code, detail);
}

/**
 * A refusal that names the kind of object that was not found; the same whether another workspace has it or it does not exist.
 */
export function refuseNotFound(kind: string): Refusal {
  return refuse("not_found", { message: `Not found: no ${kind} with this id in this workspace.` });
}

/** One violation, with the table's texts unless it has its own. */
export function violation(code: RefusalCode, detail: Omit<Partial<Violation>, "code"> = {}): Violation {
  const entry: CodeEntry = REFUSALS[code];
  const { message = entry.message, hint = entry.hint, ...otherFields } = detail;
  return { code, message, ...(hint === undefined ? {} : { hint }), ...otherFields };
}

/**
 * The refusal of a post: its violations, up to `VIOLATIONS_MAX`, and the number of the others; the first violation is
 * repeated at the top.
 */
export function refuseViolations(violations: Violation[]): Refusal {
  const [first] = violations;
  if (first === undefined) throw new Error("a refusal needs a violation");
  const omittedCount = violations.length - VIOLATIONS_MAX;
  return new Refusal(first.code, {
    message: first.message,
    hint: first.hint,
    field: first.field,
    violations: violations.slice(0, VIOLATIONS_MAX),
    ...(omittedCount > 0 ? { extra: { more_violations: omittedCount } } : {}),
  });
}

/**
 * Finds the refusal that an error is, or that caused it: the database's client wraps errors of a statement. null for any
 * other error.
 */
export function findRefusal(error: unknown): Refusal | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof Refusal) return cause;
  return null;
}
