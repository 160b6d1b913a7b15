// The contract as types: the input and output of each operation. The published package inlines them, so that it has no
// dependencies.
import type * as z from "zod";
import type { OperationName, operations } from "../contract/index.ts";
import type { Operation } from "../contract/operation.ts";
import type { PlanLimitReached, PostRefused, RateLimited, Unauthorized } from "../contract/refusals.ts";
import type { EVENT_NAMES, WEBHOOK_TEST } from "../domain/event.ts";
import type { RefusalCode } from "../domain/refusal-codes.ts";

type Contract = typeof operations;
type ParamsOf<O> = O extends Operation<infer P, z.ZodType, z.ZodType, z.ZodType> ? z.input<P> : never;
type QueryOf<O> = O extends Operation<z.ZodType, infer Q, z.ZodType, z.ZodType> ? z.input<Q> : never;
type BodyOf<O> = O extends Operation<z.ZodType, z.ZodType, infer B, z.ZodType> ? z.input<B> : never;
type AnswerOf<O> = O extends Operation<z.ZodType, z.ZodType, z.ZodType, infer R> ? z.input<R> : never;

/** The input and output types of each operation. A part is `undefined` if the operation does not have it. */
export type Calls = {
  [Name in OperationName]: {
    params: ParamsOf<Contract[Name]>;
    query: QueryOf<Contract[Name]>;
    body: BodyOf<Contract[Name]>;
    answer: AnswerOf<Contract[Name]>;
  };
};

/** The values of `error` in a refusal. */
export type Code = RefusalCode;

/** The body of a refusal. */
export type RefusalBody = z.output<typeof PostRefused> &
  Partial<Omit<z.output<typeof PlanLimitReached>, keyof z.output<typeof PostRefused>>> &
  Partial<Pick<z.output<typeof RateLimited>, "retry_after">> &
  Partial<Omit<z.output<typeof Unauthorized>, keyof z.output<typeof PostRefused>>> & { error: Code };

/** The events that a webhook can receive. */
export type WebhookEventName = (typeof EVENT_NAMES)[number] | typeof WEBHOOK_TEST;
