// Calls to the Bot API. The token is part of every address, so no address is ever logged or shown.
import * as z from "zod";
import type { NetworkIO } from "../network.ts";
import { type Answer, ask, CALL_TIMEOUT_MS } from "../shared/http-call.ts";

const HOST = "https://api.telegram.org";

/** Calls a method with JSON, or with another body. */
export function call(
  io: NetworkIO,
  botToken: string,
  method: string,
  body: object | RequestInit,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<Answer> {
  const init: RequestInit =
    "body" in body ? body : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return ask((signal) => io.fetch(`${HOST}/bot${botToken}/${method}`, { method: "POST", ...init, signal }), timeoutMs);
}

const Failure = z.object({
  ok: z.literal(false),
  error_code: z.number(),
  description: z.string(),
  parameters: z.object({ retry_after: z.number().optional(), migrate_to_chat_id: z.int().optional() }).optional(),
});

const Success = z.object({ ok: z.literal(true), result: z.unknown() });

/** The `result` of a success; undefined for anything else. */
export function parseResult<Schema extends z.ZodType>(answer: Answer, schema: Schema): z.output<Schema> | undefined {
  if (answer.is === "silence" || answer.status !== 200) return undefined;
  return schema.safeParse(Success.safeParse(answer.body).data?.result).data;
}

export function readFailure(answer: Answer): z.output<typeof Failure> | undefined {
  return answer.is === "answer" ? Failure.safeParse(answer.body).data : undefined;
}
