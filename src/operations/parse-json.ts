// Parses a caller's JSON, and refuses text that two parsers could read differently.
import { printParseErrorCode, visit } from "jsonc-parser";
import { unwritable } from "../domain/json.ts";
import { BODY_DEPTH_MAX } from "../domain/limits.ts";
import { Refusal, refuse } from "../domain/refusal.ts";
import { pointer } from "./refuse-issues.ts";

/** The value of a JSON text. Throws `malformed_json`, or `unknown_field` for `__proto__`. */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw broken(text);
  }
  refuseAmbiguous(text);
  return value;
}

const EXPECTED: Record<string, string> = {
  PropertyNameExpected: "a name in double quotes is missing",
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing",
  CommaExpected: "a comma is missing",
  CloseBraceExpected: "a closing brace is missing",
  CloseBracketExpected: "a closing bracket is missing",
  EndOfFileExpected: "something follows its end",
  InvalidCommentToken: "a comment stands in it",
  UnexpectedEndOfString: "a text has no closing quote",
  UnexpectedEndOfNumber: "a number has no end",
  InvalidUnicode: "a `\\u` is not followed by four digits",
  InvalidEscapeCharacter: "a backslash is followed by a letter that it does not go with",
  InvalidCharacter: "a text has a line break or another control character in it",
};

/** The refusal of text that is not JSON, with the line and column of the first error. */
function broken(text: string): Refusal {
  if (text.trim() === "") return refuse("malformed_json", { message: "The body is empty." });
  let depth = 0;
  const enter = () => {
    if (++depth > BODY_DEPTH_MAX) throw tooDeep();
  };
  const leave = () => {
    depth--;
  };
  try {
    visit(
      text,
      {
        onObjectBegin: enter,
        onArrayBegin: enter,
        onObjectEnd: leave,
        onArrayEnd: leave,
        onError(error, _offset, _length, line, column) {
          const problem = EXPECTED[printParseErrorCode(error)] ?? "there is a word that JSON does not have";
          const message = `The body is not JSON: ${problem} at line ${line + 1}, column ${column + 1}.`;
          throw refuse("malformed_json", { message });
        },
      },
      { disallowComments: true },
    );
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  return refuse("malformed_json", { message: "The body is not JSON." });
}

const tooDeep = () => refuse("malformed_json", { message: `The body is nested deeper than ${BODY_DEPTH_MAX} levels.` });

/** Refuses valid JSON that parsers may disagree about: a duplicate name in one object, `__proto__`, extreme nesting. */
function refuseAmbiguous(json: string): void {
  const open: Set<string>[] = [];
  const enter = () => {
    open.push(new Set());
    if (open.length > BODY_DEPTH_MAX) throw tooDeep();
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
          message: "A field must not be named `__proto__`.",
        });
      }
      if (names?.has(name)) {
        const field = pointer([...pathOf(), name]);
        throw refuse("malformed_json", {
          field,
          message: `\`${field}\` is sent more than once.`,
          hint: "Send each field once.",
        });
      }
      names?.add(name);
    },
  });
}

/** Refuses a value with a text that cannot be returned exactly as it is. */
export function refuseUnwritable(value: unknown): void {
  const path = unwritable(value);
  if (path === null) return;
  throw refuse("invalid_field", {
    field: pointer(path),
    message: "A text contains a NUL character or an unpaired surrogate.",
    hint: "Remove the character; one above U+FFFF is written as two escapes, such as `\\ud83d\\ude00`.",
  });
}
