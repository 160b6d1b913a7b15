// Failures as n8n shows them: the API's message, its hint, and every violation with its field.
import { type INode, NodeApiError, NodeOperationError } from "n8n-workflow";
import type { RefusalBody } from "../client/calls.ts";
import { NoAnswer, Refusal } from "../client/errors.ts";

/** The service's own hint is about a header, which the credential sets. */
const INVALID_KEY = "Check the API key in the credential of the node.";

/** Wraps an error that a node threw. */
export function asNodeError(node: INode, thrown: unknown, itemIndex?: number): NodeApiError | NodeOperationError {
  if (thrown instanceof NodeApiError || thrown instanceof NodeOperationError) return thrown;
  if (thrown instanceof Refusal) {
    const { message, status, body } = thrown;
    return new NodeApiError(
      node,
      { ...body },
      {
        message,
        description: status === 401 ? INVALID_KEY : describeRefusal(body),
        httpCode: String(status),
        itemIndex,
      },
    );
  }
  if (thrown instanceof NoAnswer) {
    const { message, status } = thrown;
    const description = "The outcome of the call is unknown. A post is safe to retry: it keeps its idempotency key.";
    const httpCode = status === null ? undefined : String(status);
    return new NodeApiError(node, { message }, { message, description, httpCode, itemIndex });
  }
  return new NodeOperationError(node, thrown instanceof Error ? thrown : String(thrown), { itemIndex });
}

function describeRefusal({ error, hint, violations = [], more_violations: omittedCount = 0 }: RefusalBody): string {
  const rules = violations.map(({ code, field, channel, message, hint: help }) =>
    [`${code}:`, field, channel === undefined ? undefined : `(${channel})`, message, help]
      .filter((text) => text !== undefined)
      .join(" "),
  );
  // The hint usually repeats that of the first violation.
  const lines = [
    hint === violations[0]?.hint ? undefined : hint,
    ...(rules.length === 0 ? [error] : rules),
    omittedCount === 0 ? undefined : `And ${omittedCount} more.`,
  ];
  return lines.filter((line) => line !== undefined).join("\n");
}
