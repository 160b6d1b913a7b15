// What a tool is: an operation of the contract, with the words and the shape that an agent needs.
import type * as z from "zod";
import { type OperationName, operations } from "../contract/index.ts";
import { abilitiesOf } from "../contract/operation.ts";
import type { JsonObject } from "../domain/json.ts";
import type { AbilityName } from "../domain/roles.ts";
import { type Choices, choiceSchema } from "./channel-choice.ts";
import type { CheckTokens } from "./check-token.ts";
import { fieldsOf, inputSchema, type ObjectSchema, outputSchema, type Schema, untrustedPaths } from "./tool-schema.ts";

/** What a tool works with beside its arguments. `now`: epoch milliseconds. */
export interface ToolContext {
  tokens: CheckTokens;
  now: number;
}

/** `content`: of the operation's reply. */
export interface AnswerContext extends ToolContext {
  content?: string | null;
}

/** What becomes of a tool's arguments. */
export interface Translated {
  args: JsonObject;
  idempotencyKey: string | null;
  ifMatch?: string;
  /** The files' content that was checked. */
  content?: string;
  /** Where it is not the tool's first. */
  operation?: OperationName;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  operation: OperationName;
  /** Another one, of the same address and abilities, that some of its arguments ask for. */
  alternative?: OperationName;
  /** One of these has to be given to the key that calls it. None: any key may. */
  abilities: readonly AbilityName[];
  hints: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
  /** The names of its arguments, and which of them its operation takes in its address. */
  takes: { all: readonly string[]; params: readonly string[]; query: readonly string[] };
  /** As a client sees it, for the channels that there are now. */
  input(choices: Choices): ObjectSchema;
  output: ObjectSchema;
  /** The arguments as the operation takes them. */
  translate(args: JsonObject, tools: ToolContext): Promise<Translated>;
  /** The operation's body as the tool gives it back. `undefined`: it has none. */
  answer(body: unknown, args: JsonObject, tools: AnswerContext): Promise<object>;
  /** Where in the answer texts of other people stand; see `cleaned`. */
  untrusted: readonly string[];
}

/** The hints of a tool that changes nothing. */
export const reads = { readOnlyHint: true };

/** What is particular to a tool; the rest is its operation's. */
export interface Definition extends Pick<Tool, "name" | "title" | "description" | "operation" | "alternative"> {
  hints: Partial<Tool["hints"]>;
  /** What it takes of what its operation may take. */
  ability?: AbilityName;
  /** Fields of the operation that the tool does not show, and what it sends for them. */
  fixed?: JsonObject;
  without?: readonly string[];
  takes?: Record<string, Schema>;
  required?: readonly string[];
  result?: z.ZodType;
  gives?: Record<string, Schema>;
  /** What is in every answer, where that is not the whole of the result. */
  always?: readonly string[];
  translate?: Tool["translate"];
  answer?: Tool["answer"];
}

export function makeTool({ fixed = {}, without = [], takes = {}, gives = {}, ...definition }: Definition): Tool {
  const contract = operations[definition.operation];
  const { operation, result = contract.result } = definition;
  const base = inputSchema(operation, [...without, ...Object.keys(fixed)], takes);
  const required = [...new Set([...(base.required ?? []), ...(definition.required ?? [])])];
  const output = outputSchema(result, gives);
  return {
    answer: async (body) => ({ ...Object(body) }),
    untrusted: untrustedPaths(result),
    ...definition,
    abilities: definition.ability === undefined ? abilitiesOf(contract) : [definition.ability],
    hints: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
      ...definition.hints,
    },
    takes: {
      all: Object.keys(base.properties),
      params: fieldsOf(contract, "params"),
      query: fieldsOf(contract, "query"),
    },
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
