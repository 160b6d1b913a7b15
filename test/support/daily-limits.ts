// The exact errors of an account on Workers Free when a daily allowance is used up. The sources are those of
// src/domain/daily-limit.ts.
import { PASSING } from "./d1-errors.ts";

/** Errors of Durable Objects, which are thrown by a call of an object or by the object's own storage. */
export const OBJECT_LIMITS = [
  "Exceeded allowed rows read in Durable Objects free tier.",
  "Exceeded allowed rows written in Durable Objects free tier.",
  "Exceeded allowed duration in Durable Objects free tier.",
  "Exceeded allowed volume of requests in Durable Objects free tier.",
] as const;

export const QUEUE_LIMITS = [
  "Queue send failed: Free tier limit exceeded",
  "Queue sendBatch failed: Free tier limit exceeded",
] as const;

export const DATABASE_LIMITS = [PASSING.readLimit, PASSING.writeLimit] as const;

/** Similar errors that are not daily limits. */
export const OTHER_LIMITS = [
  "Exceeded the account's spending cap for Durable Objects",
  "Queue sendBatch failed: Too Many Requests",
  "Queue sendBatch failed: Queue is overloaded. Please back off.",
  PASSING.overloaded,
] as const;
