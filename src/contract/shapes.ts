// The schemas that several operations share. A schema's error message is its refusal code.
import * as z from "zod";
import { LIST_LIMIT_MAX, METADATA_KEYS_MAX, METADATA_VALUE_LENGTH_MAX, NAME_LENGTH_MAX } from "../domain/limits.ts";
import { METRICS } from "../domain/metrics.ts";
import type { RefusalCode } from "../domain/refusal-codes.ts";
import { cleanName } from "../domain/visible-name.ts";
import { SAMPLE } from "./samples.ts";

/** The refusal code for input that breaks a schema's rule. */
export const refuseAs = (code: RefusalCode) => ({ error: code });

/** A text of at most `lengthMax` characters: Unicode code points, as JSON Schema counts them. */
export const text = (lengthMax: number, tooLong?: RefusalCode) =>
  z
    .string()
    .check(({ value, issues }) => {
      if (value.length <= lengthMax || [...value].length <= lengthMax) return;
      issues.push({
        code: "too_big",
        origin: "string",
        maximum: lengthMax,
        inclusive: true,
        input: value,
        ...(tooLong === undefined ? {} : { message: tooLong }),
      });
    })
    .meta({ maxLength: lengthMax });

/** A one-line text that is more than white space. */
export const line = (lengthMax: number) =>
  text(lengthMax)
    .min(1)
    .refine((value) => value.trim() !== "" && !/[\r\n]/.test(value), refuseAs("invalid_field"));

/** A name that others see. It is stored without invisible characters (`cleanName`). */
export const name = line(NAME_LENGTH_MAX)
  .refine((value) => cleanName(value) !== "", refuseAs("invalid_field"))
  .transform(cleanName);

/** The `meta` of a field with a description. */
export const about = (description: string) => ({ description });

/**
 * The `meta` of a field that third parties wrote, such as a network or a person without an account. Readers that act on
 * text, such as AI agents, get it marked and without hidden characters.
 */
export const untrusted = (description?: string) => ({
  ...(description === undefined ? {} : { description }),
  "x-untrusted": true,
});

/** Warnings about an address that was accepted. */
export const addressWarnings = z
  .array(z.object({ code: z.literal("ip_address_host"), message: z.string() }))
  .meta(about("`ip_address_host`: the host is an IP address, which cannot be called. Use a hostname."));

export const id = z.string().max(100);
/** An id in a path. An unknown id leads to a 404, even if its format is not valid. */
export const pathId = z.string();
/** The path parameters of an operation that has only `:id`. */
export const buildIdParams = (sample: string) => ({ id: pathId.meta({ examples: [sample] }) });

export const instant = z.string().meta({
  format: "date-time",
  description: "ISO 8601, UTC, with milliseconds.",
  examples: ["2026-12-01T09:00:00.000Z"],
});

/** The metrics that a network reports for one delivery. */
export const figures = z.partialRecord(z.enum(METRICS), z.object({ value: z.int(), measured_at: instant })).meta({
  id: "Figures",
  description: "Figures from the network, as last read. Figures that the network does not report are absent.",
  examples: [{}, { likes: { value: 31, measured_at: "2026-12-02T09:10:00.000Z" } }],
});

/** `limit` of a list. An unparsable value, or one below 1, becomes the default; a value above the cap becomes the cap. */
export const limit = (standard: number) =>
  z
    .preprocess((value) => {
      const number = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : 0;
      return number < 1 ? standard : Math.min(number, LIST_LIMIT_MAX);
    }, z.int())
    .meta({
      examples: [standard],
      description:
        `Default ${standard}, at most ${LIST_LIMIT_MAX}; an unparsable value becomes the default. ` +
        "A page that would exceed about a megabyte has fewer entries. `next` says whether there are more.",
    });

/** A switch in a query: off unless it is `true`. */
export const switchedOn = z
  .enum(["true", "false"], refuseAs("invalid_field"))
  .optional()
  .transform((value) => value === "true")
  .meta({ examples: ["true"] });

export const cursor = z
  .preprocess(
    (value) => value,
    z.string(refuseAs("unreadable_cursor")).max(500, refuseAs("unreadable_cursor")).optional(),
  )
  .meta({ description: "`next` of the previous page.", examples: [SAMPLE.cursor] });

const next = z
  .string()
  .nullable()
  .meta({ description: "`cursor` of the next page; null on the last one.", examples: [null] });

/** A page of a list, under the plural name of its items. */
export const page = <Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
  z.object({ [name]: z.array(item), next } as { [K in Name]: z.ZodArray<Item> } & {
    next: z.ZodNullable<z.ZodString>;
  });

export const jsonValue: z.ZodType<z.core.util.JSONType> = z.json();

/** A caller's own values, as texts. */
export const metadata = z
  .record(z.string().min(1).max(METADATA_VALUE_LENGTH_MAX), text(METADATA_VALUE_LENGTH_MAX))
  .refine((map) => Object.keys(map).length <= METADATA_KEYS_MAX, refuseAs("invalid_field"));
