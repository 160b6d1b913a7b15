import * as z from "zod";
import { HEALTH_KEPT_MS } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";

const Health = z
  .object({
    status: z.enum(["ok", "degraded"]).meta({
      description: "`degraded`: some databases do not answer. Workspaces in them wait; all others are served.",
    }),
    provider: z.enum(["live", "sandbox"]).meta({ description: "`sandbox`: posts go to simulators of the networks." }),
    version: z.string(),
    publishes: z.array(z.string()).meta({ description: "Platforms that this deployment publishes to." }),
    scheduler: z.object({ overdue: z.int(), oldest_overdue_seconds: z.int() }).meta({
      description:
        "Deliveries that are due for more than a minute and not being sent, and the age of the oldest; counted among the " +
        "thousand unfinished posts of each database that have waited the longest and the thousand that came due last. " +
        "What waits because a network asked for it is not among them.",
    }),
    warnings: z
      .array(z.object({ code: z.literal("database_fills"), message: z.string() }))
      .meta({ description: "What its operator has to do something about before it is too late." }),
    unavailable_databases: z
      .array(z.string())
      .meta({ description: "Databases that do not answer, by their binding: what is in them is not counted." }),
  })
  .meta({
    id: "Health",
    examples: [
      {
        status: "ok",
        provider: "live",
        version: "1.4.0",
        publishes: [SAMPLE.platform],
        scheduler: { overdue: 0, oldest_overdue_seconds: 0 },
        warnings: [],
        unavailable_databases: [],
      },
    ],
  });

export const readHealth = operation({
  ...plain,
  method: "GET",
  path: "/healthz",
  auth: "none",
  tag: "Service",
  summary: "Whether the service lives, and how late it is",
  result: Health,
  description: `An answer is kept for ${HEALTH_KEPT_MS / 1000} seconds.`,
  success: { 200: "It lives." },
  cacheSeconds: HEALTH_KEPT_MS / 1000,
  refusals: ["database_unavailable"],
});
