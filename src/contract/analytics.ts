import * as z from "zod";
import {
  ANALYTICS_DAYS,
  ANALYTICS_DAYS_DEFAULT,
  LABEL_LENGTH_MAX,
  LIST_LIMIT_DEFAULT,
  MEASURED_COMPARED_MAX,
  RANGE_DAYS_MAX,
} from "../domain/limits.ts";
import { METRICS } from "../domain/metrics.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, cursor, figures, id, instant, limit, line, page, refuseAs, switchedOn } from "./shapes.ts";

const Figure = z
  .object({
    value: z.int().meta(about("The sum over the deliveries that reported the figure.")),
    deliveries: z.int().meta(about("The number of deliveries that reported the figure.")),
    oldest: instant.meta(about("The oldest measurement in the sum.")),
    newest: instant.meta(about("The newest measurement in the sum.")),
  })
  .meta({ id: "Figure" });

const date = z.iso.date().optional();

/** The period that a query is about, and its filters. */
const period = {
  days: z
    .enum(ANALYTICS_DAYS, refuseAs("invalid_days"))
    .optional()
    .meta({
      description: `UTC days, including today: 7 or 30 (default ${ANALYTICS_DAYS_DEFAULT}). Not with \`from\` and \`to\`.`,
      examples: ["7"],
    }),
  from: date.meta({ description: "First date, in the workspace's zone.", examples: ["2026-11-01"] }),
  to: date.meta({
    description: `Last date, inclusive (default: today). At most ${RANGE_DAYS_MAX} days.`,
    examples: ["2026-11-30"],
  }),
  channel: id.optional().meta({ description: "Only this channel.", examples: [SAMPLE.channel] }),
  label: line(LABEL_LENGTH_MAX)
    .optional()
    .meta({ description: "Only posts with this label.", examples: ["winter"] }),
  compare: switchedOn.meta({
    description: "`true`: also returns the period of the same length before, in `previous`.",
    examples: ["true"],
  }),
};
const Period = z.object(period);
export type PeriodQuery = z.output<typeof Period>;

const ABOUT_PERIOD =
  "With `from`, `to`, `channel` or `label`, posts in the archive are not counted. A delivery counts at the time of its publication. " +
  "An unknown channel or label has no posts.";

const RANGE_REFUSALS = ["invalid_days", "invalid_range", "missing_field"] as const;

const Dates = { from: z.iso.date(), to: z.iso.date() };
const dates = z.object(Dates).meta({ id: "AnalyticsDates" });
const previousDates = dates.nullable().meta(about("The period before, if `compare` is `true`."));

const Sums = {
  deliveries: z.int().meta(about("The number of deliveries published there in this period.")),
  figures: z.partialRecord(z.enum(METRICS), Figure),
};
const previousSums = z
  .object(Sums)
  .nullable()
  .meta({ ...about("The same sums in the period before; null without `compare`."), id: "PreviousFigures" });

export const readAnalytics = operation({
  ...plain,
  method: "GET",
  path: "/v1/analytics",
  auth: "key_or_session",
  ability: "read",
  tag: "Usage",
  summary: "Get figures by network",
  description:
    "Covers posts published in the last `days` UTC days, including today, or from `from` to `to`. Every network counts " +
    "differently, so nothing is summed across networks. A figure that was not reported is absent. Figures are read about " +
    `ten minutes, an hour, six hours, and 1, 3, 7, 14 and 30 days after publishing, and keep their last value. ${ABOUT_PERIOD}`,
  query: Period,
  result: z
    .object({
      days: z.int(),
      ...Dates,
      timezone: z.string().meta(about("The zone of the dates: UTC with `days`, otherwise the workspace's.")),
      networks: z.array(
        z.object({
          platform: z.string(),
          measures: z.boolean().meta(about("Whether the network reports figures at all.")),
          ...Sums,
          note: z.string().nullable(),
          previous: previousSums,
        }),
      ),
      previous: previousDates,
    })
    .meta({
      id: "Analytics",
      examples: [
        {
          days: 7,
          from: "2026-11-15",
          to: "2026-11-21",
          timezone: "UTC",
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
              previous: {
                deliveries: 9,
                figures: {
                  likes: {
                    value: 250,
                    deliveries: 9,
                    oldest: "2026-11-13T09:10:00.000Z",
                    newest: "2026-11-20T08:40:00.000Z",
                  },
                },
              },
            },
            {
              platform: "othernet",
              measures: false,
              deliveries: 4,
              figures: {},
              note: "This network reports no figures.",
              previous: { deliveries: 2, figures: {} },
            },
          ],
          previous: { from: "2026-11-08", to: "2026-11-14" },
        },
      ],
    }),
  success: { 200: "The figures, with one row per network." },
  refusals: RANGE_REFUSALS,
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
    "Covers posts published there in the last `days` UTC days, or from `from` to `to`. Posts without the figure are left " +
    "out. Networks are not compared with each other: `platform` and `figure` are required. Archived posts are not included.",
  query: z.object({
    ...period,
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
    previous: z
      .object({ ...Dates, posts: z.array(MeasuredPost) })
      .nullable()
      .meta({
        description: "The first `limit` posts of the period before, on the first page with `compare`.",
        examples: [null],
      }),
  }),
  success: { 200: "A page of posts. A post may move if its figure is read again between two pages." },
  refusals: [...RANGE_REFUSALS, "unreadable_cursor"],
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
    "Returns one row for each day of the period and each network with a post published in it, the newest day first. A figure " +
    `belongs to the day on which its post was published. A figure that was not reported is absent. ${ABOUT_PERIOD}`,
  query: Period,
  result: z
    .object({
      days: z.array(
        z.object({
          date: z.iso.date().meta({ description: "A UTC date with `days`, otherwise a date in the workspace's zone." }),
          platform: z.string(),
          ...Sums,
          previous: z
            .object({ date: z.iso.date(), ...Sums })
            .nullable()
            .meta(about("The same day of the period before; null without `compare`.")),
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
              previous: null,
            },
          ],
        },
      ],
    }),
  success: { 200: "All rows." },
  refusals: RANGE_REFUSALS,
});

export const figuresByChannel = operation({
  ...plain,
  method: "GET",
  path: "/v1/analytics/channels",
  auth: "key_or_session",
  ability: "read",
  tag: "Usage",
  summary: "Get figures by channel",
  description:
    "Returns one row for each channel with a post published in the period, or in the one before. Channels of different networks count " +
    "differently. Posts in the archive are not counted.",
  query: Period,
  result: z
    .object({
      channels: z.array(z.object({ channel: id, platform: z.string(), ...Sums, previous: previousSums })),
    })
    .meta({
      id: "AnalyticsChannels",
      examples: [
        {
          channels: [
            { channel: SAMPLE.channel, platform: SAMPLE.platform, deliveries: 3, figures: {}, previous: null },
          ],
        },
      ],
    }),
  success: { 200: "All rows, with the busiest channels of each network first." },
  refusals: RANGE_REFUSALS,
});
