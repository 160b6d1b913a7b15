// Reports: a page of figures for people without an account.
import * as z from "zod";
import { LABEL_LENGTH_MAX, RANGE_DAYS_MAX, REPORT_CHANNELS_MAX } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, id, instant, line } from "./shapes.ts";

export const createReport = operation({
  ...plain,
  method: "POST",
  path: "/v1/reports",
  auth: "key_or_session",
  ability: "read",
  wholeWorkspace: true,
  tag: "Usage",
  summary: "Create a report of figures, as a page to send to a client",
  description:
    "The page shows each channel's figures beside those of the period of the same length before, and the best posts on each " +
    "network. Figures of different networks are never added up. It shows the figures as they are when it is opened. It ends after seven " +
    "days, or when its creator may no longer read the workspace.",
  body: z.strictObject({
    from: z.iso.date().meta(about("First date, in the workspace's zone.")),
    to: z.iso
      .date()
      .optional()
      .meta(about(`Last date, inclusive (default: the current date). At most ${RANGE_DAYS_MAX} days.`)),
    channels: z
      .array(id)
      .min(1)
      .max(REPORT_CHANNELS_MAX)
      .nullable()
      .optional()
      .meta(about("Null or omitted for all channels.")),
    label: line(LABEL_LENGTH_MAX).nullable().optional().meta(about("Only posts with this label.")),
  }),
  result: z.object({
    url: z.string().meta({
      ...about("Returned in this response only."),
      examples: [`https://crier.example.com/report/${"e".repeat(43)}`],
    }),
    expires_at: instant,
  }),
  success: { 201: "The report. Anyone who has its address can read it." },
  refusals: ["invalid_range", "unknown_channel", "rate_limited"],
  examples: {
    "One month": { from: "2026-11-01", to: "2026-11-30" },
    "Of one client": { from: "2026-11-01", to: "2026-11-30", channels: [SAMPLE.channel] },
  },
});
