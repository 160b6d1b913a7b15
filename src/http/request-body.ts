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
  return parseJson(await readText(request, "malformed_json"));
}

/**
 * The text of a body that is a file of one of these types. Throws `content_type_not_allowed`, `body_too_large` or
 * `malformed_file`.
 */
export async function readFileBody(
  request: Request,
  types: readonly string[],
): Promise<{ type: string; text: string }> {
  const contentType = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const type = types.find((allowedType) => allowedType === contentType);
  if (type === undefined) {
    const hint = `Send it with \`Content-Type: ${types.join("` or `")}\`.`;
    throw refuse("content_type_not_allowed", { field: "Content-Type", hint });
  }
  return { type, text: await readText(request, "malformed_file") };
}

/**
 * The text of a body, including its byte order mark, which valid JSON never has. Throws `body_too_large`, or `unreadable` if
 * it is not UTF-8.
 */
async function readText(request: Request, unreadable: "malformed_json" | "malformed_file"): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > BODY_BYTES_MAX) throw refuse("body_too_large");
  const bytes = await readBytes(request);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refuse(unreadable, { message: "The body is not UTF-8." });
  }
}

/** The bytes of a body. Throws `body_too_large`. */
export async function readBytes(request: Request): Promise<Uint8Array> {
  const bytes = await readAtMost(request.body, BODY_BYTES_MAX + 1);
  if (bytes.byteLength > BODY_BYTES_MAX) throw refuse("body_too_large");
  return bytes;
}
