// Calls to the open API. Every answer has the same envelope, and only `error.code` "ok" is a success, whatever the status.
import * as z from "zod";
import type { NetworkIO } from "../network.ts";
import { type Answer, ask, CALL_TIMEOUT_MS, parseExactly } from "../shared/http-call.ts";

export const HOST = "https://open.tiktokapis.com";

/** Calls with the account's token: GET without a body, POST with one. Integers beyond 2^53 come back as strings. */
export function call(
  { credential, io }: { credential: { access_token: string }; io: NetworkIO },
  path: string,
  body?: object,
): Promise<Answer> {
  const authorization = `Bearer ${credential.access_token}`;
  const init: RequestInit =
    body === undefined
      ? { headers: { authorization } }
      : {
          method: "POST",
          headers: { authorization, "content-type": "application/json; charset=UTF-8" },
          body: JSON.stringify(body),
        };
  return ask((signal) => io.fetch(`${HOST}/v2/${path}`, { ...init, signal }), CALL_TIMEOUT_MS, parseExactly);
}

const Envelope = z.object({
  data: z.unknown().optional(),
  error: z.object({ code: z.string(), message: z.string().default("") }),
});

/** The `data` of a success; undefined for anything else. */
export function readData<Schema extends z.ZodType>(answer: Answer, schema: Schema): z.output<Schema> | undefined {
  const envelope = answer.is === "answer" ? Envelope.safeParse(answer.body).data : undefined;
  return envelope?.error.code === "ok" ? schema.safeParse(envelope.data).data : undefined;
}

/** The error of an answer; null if it has none. */
export function readError(answer: Answer): { code: string; message: string } | null {
  const error = answer.is === "answer" ? Envelope.safeParse(answer.body).data?.error : undefined;
  if (error === undefined || error.code === "ok") return null;
  const { code, message } = error;
  return { code, message: message === "" ? code : `${message} (${code})` };
}
