// Reads a JSON body: at most 1 MiB, UTF-8, an explicit content type.
import { BODY_BYTES_MAX } from "../domain/limits.ts";
import { refuse } from "../domain/refusal.ts";

/** The parsed JSON of a request. Throws `body_too_large` or `malformed_json`. */
export async function readJsonBody(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw refuse("malformed_json", {
      message: "The body must be JSON, and say so in `Content-Type: application/json`.",
    });
  }
  if (Number(request.headers.get("content-length") ?? 0) > BODY_BYTES_MAX) throw refuse("body_too_large");
  const bytes = await readBytes(request);
  try {
    // The mark of byte order is kept, and refused by the parser as what it is: no JSON.
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return JSON.parse(decoder.decode(bytes));
  } catch {
    throw refuse("malformed_json");
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.byteLength;
    if (length > BODY_BYTES_MAX) throw refuse("body_too_large");
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
