// A published pin seen again, and its metrics.
import * as z from "zod";
import type { VerifyOutcome } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext, MetricsOutcome } from "../network.ts";
import { resultOf, unanswered } from "../shared/http-call.ts";
import { call } from "./api.ts";
import { isNoPin, troubleOf } from "./errors.ts";
import { live, Pin } from "./publish.ts";
import type { Credential } from "./rule.ts";

export async function verify(
  { id }: { id: string },
  { credential, io }: ConnectorContext<Credential>,
): Promise<VerifyOutcome> {
  const answer = await call(io, credential.access_token, "GET", `/pins/${id}`);
  if (resultOf(answer, Pin)?.id === id) return { is: "there", url: live(id).url };
  return isNoPin(answer) ? { is: "gone" } : unanswered(troubleOf(answer, io.now()));
}

const Metrics = z.object({
  pin_metrics: z
    .object({
      lifetime_metrics: z
        .object({
          impression: z.number(),
          clickthrough: z.number(),
          save: z.number(),
          reaction: z.number(),
          comment: z.number(),
        })
        .partial()
        .optional(),
    })
    .nullable(),
});

export async function readMetrics(
  { id }: { id: string },
  { credential, io }: ConnectorContext<Credential>,
): Promise<MetricsOutcome> {
  const answer = await call(io, credential.access_token, "GET", `/pins/${id}?pin_metrics=true`);
  const counts = resultOf(answer, Metrics)?.pin_metrics?.lifetime_metrics;
  if (counts === undefined) return unanswered(troubleOf(answer, io.now()));
  const { impression: views, clickthrough: clicks, save: saves, reaction: likes, comment: comments } = counts;
  const metrics = Object.entries({ views, clicks, saves, likes, comments }).filter(([, value]) => value !== undefined);
  return { is: "read", metrics: Object.fromEntries(metrics) };
}
