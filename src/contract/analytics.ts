import * as z from "zod";
import { ANALYTICS_DAYS, ANALYTICS_DAYS_DEFAULT } from "../domain/limits.ts";
import { METRICS } from "../domain/metrics.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, as, instant } from "./shapes.ts";

const Figure = z
  .object({
    value: z.int().meta(about("The sum over the deliveries that reported it.")),
    deliveries: z.int().meta(about("How many reported it.")),
    oldest: instant.meta(about("The oldest measurement in the sum.")),
    newest: instant.meta(about("The newest measurement in the sum.")),
  })
  .meta({ id: "Figure" });

export const readAnalytics = operation({
  ...plain,
  method: "GET",
  path: "/v1/analytics",
  auth: "key_or_session",
  ability: "read",
  tag: "Usage",
  summary: "What the networks counted, network by network",
  description:
    "Of what was published on the last `days` UTC days, today among them. Every network counts in its own way, so nothing " +
    "is summed across networks, and a figure that nobody reported is absent. Figures are read about ten minutes, an hour, " +
    "six hours, and 1, 3, 7, 14 and 30 days after publishing, and stay as they were read last.",
  query: z.object({
    days: z
      .enum(ANALYTICS_DAYS, as("invalid_days"))
      .default(ANALYTICS_DAYS_DEFAULT)
      .meta({ description: "7 or 30.", examples: ["7"] }),
  }),
  result: z
    .object({
      days: z.int(),
      networks: z.array(
        z.object({
          platform: z.string(),
          measures: z.boolean().meta(about("Whether the network reports figures at all.")),
          deliveries: z.int().meta(about("Published there in these days.")),
          figures: z.partialRecord(z.enum(METRICS), Figure),
          note: z.string().nullable(),
        }),
      ),
    })
    .meta({
      id: "Analytics",
      examples: [
        {
          days: 7,
          networks: [
            {
              platform: SAMPLE.platform,
              measures: true,
              deliveries: 12,
              figures: {
                likes: {
                  value: 310,
                  deliveries: 11,
                  oldest: "2026-11-20T09:10:00.000Z",
                  newest: "2026-11-21T08:40:00.000Z",
                },
              },
              note: null,
            },
            {
              platform: "othernet",
              measures: false,
              deliveries: 4,
              figures: {},
              note: "This network reports no figures.",
            },
          ],
        },
      ],
    }),
  success: { 200: "One row for each network." },
  refusals: ["invalid_days"],
});
