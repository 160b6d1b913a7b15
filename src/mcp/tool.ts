// A tool: an operation of the contract, with the description and the schema that an agent needs.
import type * as z from "zod";
import { type OperationName, operations } from "../contract/index.ts";
import { getAbilities } from "../contract/operation.ts";
import type { JsonObject } from "../domain/json.ts";
import type { AbilityName } from "../domain/roles.ts";
import { type Choices, choiceSchema } from "./channel-choice.ts";
import type { CheckTokens } from "./check-token.ts";
import { inputSchema, type ObjectSchema, outputSchema, type Schema, untrustedPaths } from "./tool-schema.ts";

/** The context that a tool has in addition to its arguments. `now`: epoch milliseconds. */
export interface ToolContext {
  tokens: CheckTokens;
  now: number;
}

/** `content`: from the operation's reply. `also`: the body of the tool's second read. */
export interface AnswerContext extends ToolContext {
  content?: string | null;
  also?: unknown;
}

/** The result of translating a tool's arguments. */
export interface Translated {
  args: JsonObject;
  idempotencyKey: string | null;
  ifMatch?: string;
  /** The validated content of the files. */
  content?: string;
  /** Set if it differs from the tool's main operation. */
  operation?: OperationName;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  operation: OperationName;
  /** Other operations, with the same abilities, that some arguments select. */
  alternatives?: readonly OperationName[];
  /** An operation without input whose body completes the answer. */
  also?: OperationName;
  /** For a call that may wait: how long at most, and whether what it waits for has happened. */
  wait?: { atMostMs(args: JsonObject): number; isOver(body: unknown): boolean };
  /** For a list with a `limit`: the field with its rows. An answer that is too long is read again with fewer. */
  rows?: string;
  /** The key that calls the tool needs at least one of these abilities. If empty, any key may call it. */
  abilities: readonly AbilityName[];
  hints: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
  /** The names of its arguments. */
  takes: readonly string[];
  /** The input schema that a client sees, for the current channels. */
  input(choices: Choices): ObjectSchema;
  output: ObjectSchema;
  /** Translates the arguments into the operation's input. */
  translate(args: JsonObject, tools: ToolContext): Promise<Translated>;
  /** Translates the operation's body into the tool's output. `undefined`: the operation has no body. */
  answer(body: unknown, args: JsonObject, tools: AnswerContext): Promise<object>;
  /** Paths of third-party texts in the answer; see `cleaned`. */
  untrusted: readonly string[];
}

/** The hints of a read-only tool. */
export const reads = { readOnlyHint: true };

/** The fields that a tool defines itself; the others come from its operation. */
export interface Definition
  extends Pick<Tool, "name" | "title" | "description" | "operation" | "alternatives" | "also" | "wait" | "rows"> {
  /** Leaves the schemas of long fields to `queue_post`. */
  isBrief?: true;
  hints: Partial<Tool["hints"]>;
  /** The ability that the tool uses, among those that its operation may use. */
  ability?: AbilityName;
  /** Fields of the operation that the tool hides, and the values that it sends for them. */
  fixed?: JsonObject;
  without?: readonly string[];
  takes?: Record<string, Schema>;
  required?: readonly string[];
  result?: z.ZodType;
  gives?: Record<string, Schema>;
  /** The fields that every answer has, if that is not the whole result. */
  always?: readonly string[];
  translate?: Tool["translate"];
  answer?: Tool["answer"];
}

export function makeTool({ fixed = {}, without = [], takes = {}, gives = {}, ...definition }: Definition): Tool {
  const contract = operations[definition.operation];
  const { operation, alternatives = [], result = contract.result } = definition;
  const base = inputSchema(operation, [...without, ...Object.keys(fixed)], {
    extraProperties: takes,
    isBrief: definition.isBrief ?? false,
  });
  const required = [...new Set([...(base.required ?? []), ...(definition.required ?? [])])];
  const output = outputSchema(result, gives);
  return {
    answer: async (body) => ({ ...Object(body) }),
    untrusted: [
      ...new Set(
        [result, ...alternatives.map((name) => operations[name].result)].flatMap((body) => untrustedPaths(body)),
      ),
    ],
    ...definition,
    abilities: definition.ability === undefined ? getAbilities(contract) : [definition.ability],
    hints: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
      ...definition.hints,
    },
    takes: Object.keys(base.properties),
    input(choices) {
      const { channels } = base.properties;
      const properties =
        channels === undefined
          ? base.properties
          : { ...base.properties, channels: { ...channels, items: choiceSchema(choices) } };
      return { ...base, properties, required };
    },
    output: { ...output, required: [...(definition.always ?? output.required ?? [])] },
    async translate(args, tools) {
      const translated = await (definition.translate?.(args, tools) ?? { args, idempotencyKey: null });
      return { ...translated, args: { ...translated.args, ...fixed } };
    },
  };
}
