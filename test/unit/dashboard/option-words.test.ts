// Every option of every network, every value and every inner field has a label in the dashboard.
import { expect, it } from "vitest";
import * as z from "zod";
import { isSchema, type Schema } from "../../../src/dashboard/ui/schema.ts";
import { describeValue, findOption, listOptions } from "../../../src/dashboard/words/options/index.ts";
import { networks } from "../../../src/networks/index.ts";

function readSchema(options: z.ZodType): Schema {
  const schema: unknown = z.toJSONSchema(options, { io: "input", unrepresentable: "any" });
  return isSchema(schema) ? schema : expect.fail("no schema");
}
/** The schema and everything inside its alternatives and entries. */
const listAlternatives = (schema: Schema): Schema[] => [
  schema,
  ...(schema.anyOf ?? []).flatMap(listAlternatives),
  ...(schema.items === undefined ? [] : listAlternatives(schema.items)),
];

it.each(networks.map(({ rule, options }): [string, Schema] => [rule.platform, readSchema(options)]))(
  "each option of %s, its values and its fields have a label",
  (platform, { properties = {}, required = [] }) => {
    const words = listOptions(platform);
    expect(Object.keys(words).sort()).toEqual(Object.keys(properties).sort());
    for (const [name, schema] of Object.entries(properties)) {
      const option = findOption(platform, name) ?? expect.fail(name);
      const alternatives = listAlternatives(schema);
      const values = alternatives.flatMap((alternative) => alternative.enum ?? []);
      expect([name, Object.keys(option.values ?? {}).sort()]).toEqual([name, values.sort()]);
      const fields = alternatives.flatMap((alternative) => Object.keys(alternative.properties ?? {}));
      expect([name, Object.keys(option.fields ?? {}).sort()]).toEqual([name, fields.sort()]);
      const isRequired = required.includes(name) || schema["x-required-unless"] !== undefined;
      expect([name, option.group === "required"]).toEqual([name, isRequired]);
      if (isRequired) expect(option.ask).toMatch(/\.$/);
      if (alternatives.some(({ type }) => type === "null")) expect(option.none).toBeDefined();
    }
    const shown = Object.values(words).filter(({ group }) => group !== "more").length;
    expect(shown).toBeGreaterThanOrEqual(3);
    expect(shown).toBeLessThanOrEqual(6);
  },
);

it("a value is described by its label, a time in seconds and a position from 1", () => {
  expect(describeValue("linkedin", "visibility", "LOGGED_IN")).toBe("Signed-in members");
  expect(describeValue("instagram", "thumb_offset_ms", 1_500)).toBe("1.5 seconds");
  expect(describeValue("tiktok", "photo_cover_index", 0)).toBe("1");
  expect(describeValue("pinterest", "link", null)).toBe("Post without a link");
});
