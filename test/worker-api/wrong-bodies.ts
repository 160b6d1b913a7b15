// Bodies that our own OpenAPI document does not allow.
import fc from "fast-check";
import { allowedBy, forbiddenBy } from "../support/openapi.ts";
import { checkSchema, document, type Operation } from "./fuzzed.ts";

/** A body with one error, and the expected refusal. */
interface Wrong {
  operation: Operation;
  body: Record<string, unknown>;
  error: RegExp;
  field: RegExp;
}
const literal = (name: string) =>
  name
    .replaceAll("~", "~0")
    .replaceAll("/", "~1")
    .replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");

export function wrongBodies(operation: Operation): fc.Arbitrary<Wrong> {
  const schema = operation.bodySchema ?? {};
  const { properties = {}, required = [] } = schema;
  const validBody = allowedBy(document, schema, {
    plain: true,
    known: { email: fc.constant("a@example.com") },
  }) as fc.Arbitrary<Record<string, unknown>>;
  const unknownField = fc
    .tuple(validBody, fc.string({ minLength: 1 }), fc.jsonValue())
    .filter(([, name]) => !Object.hasOwn(properties, name))
    .map(([body, name, value]) => {
      const wrong = { ...body };
      Object.defineProperty(wrong, name, { value, enumerable: true });
      return { operation, body: wrong, error: /^unknown_field$/, field: new RegExp(`^/${literal(name)}$`) };
    });
  const wrongValue = fc.constantFrom(...Object.entries(properties)).chain(([name, property]) =>
    fc.tuple(validBody, forbiddenBy(checkSchema, property)).map(([body, value]) => ({
      operation,
      body: { ...body, [name]: value },
      error: /./,
      field: new RegExp(`^/${literal(name)}(/|$)`),
    })),
  );
  const missing = required.map((name) =>
    validBody.map((body) => {
      const { [name]: _, ...remaining } = body;
      return { operation, body: remaining, error: /^missing_field$/, field: new RegExp(`^/${literal(name)}$`) };
    }),
  );
  return fc.oneof(unknownField, wrongValue, ...missing);
}
