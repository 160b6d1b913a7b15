import * as z from "zod";
import { ANALYTICS_DAYS, ANALYTICS_DAYS_DEFAULT, LIST_LIMIT_DEFAULT, MEASURED_COMPARED_MAX } from "../domain/limits.ts";
import { METRICS } from "../domain/metrics.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, as, cursor, figures, id, instant, limit, page } from "./shapes.ts";

const Figure = z
  .object({
    value: z.int().meta(about("The sum over the deliveries that reported it.")),
    deliveries: z.int().meta(about("How many reported it.")),
    oldest: instant.meta(about("The oldest measurement in the sum.")),
    newest: instant.meta(about("The newest measurement in the sum.")),
  })
  .meta({ id: "Figure" });

const days = z
  .enum(ANALYTICS_DAYS, as("invalid_days"))
  .default(ANALYTICS_DAYS_DEFAULT)
  .meta({ description: "7 or 30.", examples: ["7"] });

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
  query: z.object({ days }),
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

const MeasuredPost = z
  .object({
    post: id,
    channel: id,
    platform: z.string(),
    published_at: instant.nullable(),
    url: z.string().nullable().meta(about("Its address on the network.")),
    figures,
  })
  .meta({
    id: "MeasuredPost",
    examples: [
      {
        post: SAMPLE.post,
        channel: SAMPLE.channel,
        platform: SAMPLE.platform,
        published_at: SAMPLE.published,
        url: "https://examplenet.example/ada/3lbc",
        figures: { likes: { value: 31, measured_at: "2026-12-02T09:10:00.000Z" } },
      },
    ],
  });

export const postsByFigure = operation({
  ...plain,
  method: "GET",
  path: "/v1/analytics/posts",
  auth: "key_or_session",
  ability: "read",
  tag: "Usage",
  summary: "Posts on one network by one figure, the most first",
  description:
    "Of what was published there on the last `days` UTC days; what did not report the figure is left out. Networks are not " +
    "compared with each other: `platform` and `figure` are required. Posts that were archived are not there any more.",
  query: z.object({
    days,
    platform: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,39}$/)
      .meta({ description: "The network.", examples: [SAMPLE.platform] }),
    figure: z.enum(METRICS).meta({ description: "What they are ordered by.", examples: ["likes"] }),
    limit: limit(LIST_LIMIT_DEFAULT),
    cursor,
  }),
  result: page("posts", MeasuredPost).extend({
    compared: z
      .int()
      .nullable()
      .meta({
        description: `null: all of them were compared. A number, where there are more than ${MEASURED_COMPARED_MAX}: only so many, those that were published last.`,
        examples: [null],
      }),
  }),
  success: { 200: "A page. A figure that is read again between two pages may move its post." },
  refusals: ["invalid_days", "missing_field", "unreadable_cursor"],
});

export const figuresByDay = operation({
  ...plain,
  method: "GET",
  path: "/v1/analytics/days",
  auth: "key_or_session",
  ability: "read",
  tag: "Usage",
  summary: "What the networks counted, day by day",
  description:
    "One row for each of the last `days` UTC days and each network on which something was published in them, the newest " +
    "day first. A figure belongs to the day on which its post was published; one that nobody reported is absent.",
  query: z.object({ days }),
  result: z
    .object({
      days: z.array(
        z.object({
          date: z.iso.date().meta({ description: "UTC." }),
          platform: z.string(),
          deliveries: z.int().meta(about("Published there on that day.")),
          figures: z.partialRecord(z.enum(METRICS), Figure),
        }),
      ),
    })
    .meta({
      id: "AnalyticsDays",
      examples: [
        {
          days: [
            {
              date: "2026-11-20",
              platform: SAMPLE.platform,
              deliveries: 3,
              figures: {
                likes: {
                  value: 84,
                  deliveries: 3,
                  oldest: "2026-11-21T08:10:00.000Z",
                  newest: "2026-11-21T08:40:00.000Z",
                },
              },
            },
          ],
        },
      ],
    }),
  success: { 200: "All of them." },
  refusals: ["invalid_days"],
});
