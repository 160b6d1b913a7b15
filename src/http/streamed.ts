// Streams an answer: the next piece is created when the caller has consumed the previous one.
import { errorText, log } from "../adapters/log.ts";
import type { Operation } from "../contract/operation.ts";

export function streamed(
  headers: Headers,
  { type, fileName }: NonNullable<Operation["stream"]>,
  pieces: AsyncGenerator<string>,
  requestId: string,
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next();
          if (done === true) controller.close();
          else controller.enqueue(encoder.encode(value));
        } catch (error) {
          // The caller sees a broken connection, because the status has already been sent.
          log("error", "stream_broken", { request: requestId, error: errorText(error) });
          controller.error(error);
        }
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  const answer = new Headers(headers);
  answer.set("Content-Type", type === "text/csv" ? "text/csv; charset=utf-8; header=present" : type);
  answer.set("Content-Disposition", `attachment; filename="${fileName}"`);
  return new Response(body, { headers: answer });
}
