// Reads a JSON body: at most 1 MiB, UTF-8, an explicit content type, and nothing in it that two readers read differently.
import { visit } from "jsonc-parser";
import { BODY_BYTES_MAX, BODY_DEPTH_MAX } from "../domain/limits.ts";
import { refuse } from "../domain/refusal.ts";
import { pointer } from "../operations/refuse-issues.ts";

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
  let value: unknown;
  try {
    // The mark of byte order is kept, and refused by the parser as what it is: no JSON.
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw refuse("malformed_json");
  }
  refuseAmbiguous(text);
  return value;
}

/** Refuses what valid JSON may hold and no two programs need agree on: a name twice in one object, `__proto__`, an abyss. */
function refuseAmbiguous(json: string): void {
  const open: Set<string>[] = [];
  const enter = () => {
    open.push(new Set());
    if (open.length > BODY_DEPTH_MAX) {
      throw refuse("malformed_json", { message: `The body is nested deeper than ${BODY_DEPTH_MAX} levels.` });
    }
  };
  const leave = () => {
    open.pop();
  };
  visit(json, {
    onObjectBegin: enter,
    onArrayBegin: enter,
    onObjectEnd: leave,
    onArrayEnd: leave,
    onObjectProperty(name, _offset, _length, _line, _character, pathOf) {
      const names = open.at(-1);
      if (name === "__proto__") {
        throw refuse("unknown_field", {
          field: pointer([...pathOf(), name]),
          message: "No field is named `__proto__`.",
        });
      }
      if (names?.has(name)) {
        const field = pointer([...pathOf(), name]);
        throw refuse("malformed_json", {
          field,
          message: `\`${field}\` is given twice.`,
          hint: "Name each field once.",
        });
      }
      names?.add(name);
    },
  });
}

/** The bytes of a body. Throws `body_too_large`. */
export async function readBytes(request: Request): Promise<Uint8Array> {
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
