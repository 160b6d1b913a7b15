import * as z from "zod";
import { HEALTH_KEPT_MS } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";

const Health = z
  .object({
    status: z.enum(["ok", "degraded"]).meta({
      description: "`degraded`: some databases do not answer. Their workspaces are unavailable; all others are served.",
    }),
    provider: z.enum(["live", "sandbox"]).meta({ description: "`sandbox`: posts go to simulators of the networks." }),
    version: z.string(),
    mail: z.boolean().meta({ description: "Whether this deployment can send mail." }),
    publishes: z.array(z.string()).meta({ description: "Platforms that this deployment publishes to." }),
    scheduler: z.object({ overdue: z.int(), oldest_overdue_seconds: z.int() }).meta({
      description:
        "Deliveries more than a minute overdue that are not being sent, and the age of the oldest. The count covers the " +
        "thousand longest-waiting unfinished posts of each database and the thousand that came due last. " +
        "Deliveries postponed at a network's request are not counted.",
    }),
    warnings: z
      .array(z.object({ code: z.literal("database_fills"), message: z.string() }))
      .meta({ description: "Problems that the operator should fix before they cause a failure." }),
    unavailable_databases: z
      .array(z.string())
      .meta({ description: "Bindings of the databases that do not answer. Their contents are not counted." }),
  })
  .meta({
    id: "Health",
    examples: [
      {
        status: "ok",
        provider: "live",
        version: "1.4.0",
        mail: true,
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
  summary: "Check that the service is up and on schedule",
  result: Health,
  description: `The answer is cached for ${HEALTH_KEPT_MS / 1000} seconds.`,
  success: { 200: "The service is up." },
  cacheSeconds: HEALTH_KEPT_MS / 1000,
  refusals: ["database_unavailable"],
});
