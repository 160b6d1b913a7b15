// Rechecks a published pin, and reads its metrics.
import * as z from "zod";
import type { RecheckOutcome } from "../../domain/delivery/outcome.ts";
import { type Accepted, textAltered } from "../../domain/delivery/readback.ts";
import type { ConnectorContext, MetricsOutcome } from "../network.ts";
import { readResult, unanswered } from "../shared/http-call.ts";
import { call } from "./api.ts";
import { isNoPin, readProblem } from "./errors.ts";
import { live, Pin } from "./publish.ts";
import type { Credential } from "./rule.ts";

/** The images of a carousel: PinMediaWithImages of pinterest/api-description 5.23.0, read 2026-11-27. */
const Images = z.object({ media_type: z.literal("multiple_images"), items: z.array(z.unknown()).optional() });
const Shown = Pin.extend({
  title: z.string().nullish(),
  description: z.string().nullish(),
  media: Images.nullish().catch(null),
});

export async function recheck(
  { id }: { id: string },
  { credential, io }: ConnectorContext<Credential>,
  accepted?: Accepted,
): Promise<RecheckOutcome> {
  const answer = await call(io, credential.access_token, "GET", `/pins/${id}`);
  const pin = readResult(answer, Shown);
  if (pin?.id === id) {
    const { url } = live(id);
    if (accepted === undefined) return { is: "there", url };
    const title = typeof accepted.options.title === "string" ? accepted.options.title : "";
    const { description, media } = pin;
    const shownImages = media?.items?.length ?? accepted.files;
    return {
      is: "there",
      url,
      altered: [
        ...textAltered(description, accepted.text),
        ...textAltered(pin.title, title, "title"),
        ...(shownImages === accepted.files ? [] : (["media_count"] as const)),
      ],
    };
  }
  return isNoPin(answer) ? { is: "gone" } : unanswered(readProblem(answer, io.now()));
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
  const counts = readResult(answer, Metrics)?.pin_metrics?.lifetime_metrics;
  if (counts === undefined) return unanswered(readProblem(answer, io.now()));
  const { impression: views, clickthrough: clicks, save: saves, reaction: likes, comment: comments } = counts;
  const metrics = Object.entries({ views, clicks, saves, likes, comments }).filter(([, value]) => value !== undefined);
  return { is: "read", metrics: Object.fromEntries(metrics) };
}
