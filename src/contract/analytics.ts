import * as z from "zod";
import { ANALYTICS_DAYS, ANALYTICS_DAYS_DEFAULT, LIST_LIMIT_DEFAULT, MEASURED_COMPARED_MAX } from "../domain/limits.ts";
import { METRICS } from "../domain/metrics.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, cursor, figures, id, instant, limit, page, refuseAs } from "./shapes.ts";

const Figure = z
  .object({
    value: z.int().meta(about("The sum over the deliveries that reported the figure.")),
    deliveries: z.int().meta(about("The number of deliveries that reported the figure.")),
    oldest: instant.meta(about("The oldest measurement in the sum.")),
    newest: instant.meta(about("The newest measurement in the sum.")),
  })
  .meta({ id: "Figure" });

const days = z
  .enum(ANALYTICS_DAYS, refuseAs("invalid_days"))
  .default(ANALYTICS_DAYS_DEFAULT)
  .meta({ description: "Days: 7 or 30.", examples: ["7"] });

export const readAnalytics = operation({
  ...plain,
  method: "GET",
  path: "/v1/analytics",
  auth: "key_or_session",
  ability: "read",
  tag: "Usage",
  summary: "Get figures by network",
  description:
    "Covers posts published in the last `days` UTC days, including today. Every network counts differently, so nothing " +
    "is summed across networks. A figure that was not reported is absent. Figures are read about ten minutes, an hour, " +
    "six hours, and 1, 3, 7, 14 and 30 days after publishing, and keep their last value.",
  query: z.object({ days }),
  result: z
    .object({
      days: z.int(),
      networks: z.array(
        z.object({
          platform: z.string(),
          measures: z.boolean().meta(about("Whether the network reports figures at all.")),
          deliveries: z.int().meta(about("The number of deliveries published there in this period.")),
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
  success: { 200: "The figures, with one row per network." },
  refusals: ["invalid_days"],
});

const MeasuredPost = z
  .object({
    post: id,
    channel: id,
    platform: z.string(),
    published_at: instant.nullable(),
    url: z.string().nullable().meta(about("The post's address on the network.")),
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
  summary: "List the posts on one network by one figure, highest first",
  description:
    "Covers posts published there in the last `days` UTC days. Posts without the figure are left out. Networks are not " +
    "compared with each other: `platform` and `figure` are required. Archived posts are not included.",
  query: z.object({
    days,
    platform: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,39}$/)
      .meta({ description: "The network.", examples: [SAMPLE.platform] }),
    figure: z.enum(METRICS).meta({ description: "The figure that orders the posts.", examples: ["likes"] }),
    limit: limit(LIST_LIMIT_DEFAULT),
    cursor,
  }),
  result: page("posts", MeasuredPost).extend({
    compared: z
      .int()
      .nullable()
      .meta({
        description: `The number of posts compared, the most recently published ones, if there are more than ${MEASURED_COMPARED_MAX}; null if all were compared.`,
        examples: [null],
      }),
  }),
  success: { 200: "A page of posts. A post may move if its figure is read again between two pages." },
  refusals: ["invalid_days", "missing_field", "unreadable_cursor"],
});

export const figuresByDay = operation({
  ...plain,
  method: "GET",
  path: "/v1/analytics/days",
  auth: "key_or_session",
  ability: "read",
  tag: "Usage",
  summary: "Get figures by day",
  description:
    "Returns one row for each of the last `days` UTC days and each network with a post published in these days, the newest " +
    "day first. A figure belongs to the day on which its post was published. A figure that was not reported is absent.",
  query: z.object({ days }),
  result: z
    .object({
      days: z.array(
        z.object({
          date: z.iso.date().meta({ description: "The UTC date." }),
          platform: z.string(),
          deliveries: z.int().meta(about("The number of deliveries published there on that day.")),
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
  success: { 200: "All rows." },
  refusals: ["invalid_days"],
});
