// Reads a JSON body: at most 1 MiB, UTF-8, an explicit content type.
import { BODY_BYTES_MAX } from "../domain/limits.ts";
import { readAtMost } from "../domain/read-at-most.ts";
import { refuse } from "../domain/refusal.ts";
import { parseJson } from "../operations/parse-json.ts";

/** The parsed JSON of a request. Throws `body_too_large` or `malformed_json`. */
export async function readJsonBody(request: Request): Promise<unknown> {
  if (!/^\s*application\/json\s*(;\s*charset="?utf-8"?\s*)?;?\s*$/i.test(request.headers.get("content-type") ?? "")) {
    throw refuse("malformed_json", {
      message: "The body must be JSON in UTF-8, and say so in `Content-Type: application/json`.",
    });
  }
  if (Number(request.headers.get("content-length") ?? 0) > BODY_BYTES_MAX) throw refuse("body_too_large");
  const bytes = await readBytes(request);
  let text: string;
  try {
    // The mark of byte order is kept, and refused by the parser as what it is: no JSON.
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refuse("malformed_json", { message: "The body is not UTF-8." });
  }
  return parseJson(text);
}

/** The bytes of a body. Throws `body_too_large`. */
export async function readBytes(request: Request): Promise<Uint8Array> {
  const bytes = await readAtMost(request.body, BODY_BYTES_MAX + 1);
  if (bytes.byteLength > BODY_BYTES_MAX) throw refuse("body_too_large");
  return bytes;
}
