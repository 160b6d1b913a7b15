// Bodies that our own OpenAPI document does not allow.
import fc from "fast-check";
import { allowedBy, forbiddenBy } from "../support/openapi.ts";
import { checkSchema, document, type Operation } from "./fuzzed.ts";

/** How a right body is made wrong, and what must be said about it. */
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
  const right = allowedBy(document, schema, {
    plain: true,
    known: { email: fc.constant("a@example.com") },
  }) as fc.Arbitrary<Record<string, unknown>>;
  const unknownField = fc
    .tuple(right, fc.string({ minLength: 1 }), fc.jsonValue())
    .filter(([, name]) => !Object.hasOwn(properties, name))
    .map(([body, name, value]) => {
      const wrong = { ...body };
      Object.defineProperty(wrong, name, { value, enumerable: true });
      return { operation, body: wrong, error: /^unknown_field$/, field: new RegExp(`^/${literal(name)}$`) };
    });
  const wrongValue = fc.constantFrom(...Object.entries(properties)).chain(([name, property]) =>
    fc.tuple(right, forbiddenBy(checkSchema, property)).map(([body, value]) => ({
      operation,
      body: { ...body, [name]: value },
      error: /./,
      field: new RegExp(`^/${literal(name)}(/|$)`),
    })),
  );
  const missing = required.map((name) =>
    right.map((body) => {
      const { [name]: _, ...rest } = body;
      return { operation, body: rest, error: /^missing_field$/, field: new RegExp(`^/${literal(name)}$`) };
    }),
  );
  return fc.oneof(unknownField, wrongValue, ...missing);
}
