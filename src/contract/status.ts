import * as z from "zod";
import { STATUS_KEPT_MS } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, instant } from "./shapes.ts";

const NetworkStatus = z
  .object({
    platform: z.string(),
    failing: z
      .boolean()
      .meta(about("True if at least three attempts failed in the last 15 minutes, and at least as many as succeeded.")),
    published: z.int().meta(about("Deliveries published in the last hour, over all workspaces.")),
    failed_tries: z
      .int()
      .meta(about("Attempts in the last hour that failed because the network did not respond or was unavailable.")),
    lateness_seconds: z
      .object({ p50: z.number(), p99: z.number() })
      .nullable()
      .meta(
        about(
          "Time from when a delivery was due to the call that published it, as median and 99th percentile, " +
            "rounded up to the next step of a scale. Null if nothing was published.",
        ),
      ),
  })
  .meta({ id: "NetworkStatus" });

export const readStatus = operation({
  ...plain,
  method: "GET",
  path: "/v1/status",
  auth: "none",
  tag: "Service",
  summary: "Get the last hour's publishing delays and failing networks",
  description: `Counted in steps of five minutes, over all workspaces. Responses are cached for ${STATUS_KEPT_MS / 1000} seconds.`,
  result: z
    .object({
      as_of: instant,
      failing: z.array(z.string()).meta(about("Platforms that are failing now.")),
      networks: z.array(NetworkStatus).meta(about("Every platform that this deployment publishes to.")),
    })
    .meta({
      id: "Status",
      examples: [
        {
          as_of: SAMPLE.published,
          failing: [],
          networks: [
            {
              platform: SAMPLE.platform,
              failing: false,
              published: 1_382,
              failed_tries: 2,
              lateness_seconds: { p50: 0.3, p99: 2 },
            },
          ],
        },
      ],
    }),
  success: { 200: "The counts of the last hour." },
  cacheSeconds: STATUS_KEPT_MS / 1000,
  refusals: [],
});
