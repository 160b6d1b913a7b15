// Reads the JSON of a caller: nothing may be in it that two readers read differently.
import { visit } from "jsonc-parser";
import { BODY_DEPTH_MAX } from "../domain/limits.ts";
import { refuse } from "../domain/refusal.ts";
import { pointer } from "./refuse-issues.ts";

/** The value of a JSON text. Throws `malformed_json`, or `unknown_field` for `__proto__`. */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
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
