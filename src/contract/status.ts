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
      .meta(about("In the last quarter of an hour at least three tries failed, and as many as went out.")),
    published: z.int().meta(about("Deliveries of all workspaces that went out in the last hour.")),
    failed_tries: z
      .int()
      .meta(about("Tries in the last hour that came to nothing because the network did not answer, or could not.")),
    lateness_seconds: z
      .object({ p50: z.number(), p99: z.number() })
      .nullable()
      .meta(
        about(
          "From the time of a delivery to the call that published it: what half of them, and 99 in a hundred, did not " +
            "exceed, to the next step of a scale. null: nothing went out.",
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
  summary: "How late posts went out in the last hour, and which networks are failing",
  description: `Counted in steps of five minutes, over all workspaces. An answer is kept for ${STATUS_KEPT_MS / 1000} seconds.`,
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
  success: { 200: "What was counted." },
  cacheSeconds: STATUS_KEPT_MS / 1000,
  refusals: [],
});
