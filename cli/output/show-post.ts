// Formats posts and deliveries for people.

import { formatUsd } from "../../src/domain/money.ts";
import type { Answer } from "../api/client.ts";
import type { Channel } from "../channel.ts";
import { spoken } from "../channels.ts";
import { warn } from "../session.ts";
import { localText, relativeText } from "./format.ts";
import { writeTable } from "./table.ts";
import { hanging, type Output, oneLine, quoteWords } from "./terminal.ts";

export type Post = Answer<"posts.get">;
export type Delivery = Post["deliveries"][number];

const COLOURS: Record<string, "green" | "red" | "yellow" | "dim"> = {
  live: "green",
  handed_over: "green",
  published: "green",
  partially_published: "yellow",
  failed: "red",
  removed: "yellow",
  retrying: "yellow",
  cancelled: "dim",
  draft: "dim",
};

export function statusText(output: Output, status: string): string {
  const colour = COLOURS[status];
  return colour === undefined ? status : output.paint(colour, status);
}

/** `Tue 2026-12-01 10:00 Europe/Berlin, 09:00 UTC, in 9 d`. */
export function timeText(instant: string, zone: string, now: number): string {
  const instantMs = Date.parse(instant);
  const utc =
    instant.slice(0, 10) === localText(instantMs, zone).slice(4, 14)
      ? instant.slice(11, 16)
      : `${instant.slice(0, 10)} ${instant.slice(11, 16)}`;
  const inUtc = zone === "UTC" ? "" : `, ${utc} UTC`;
  return `${localText(instantMs, zone)} ${zone}${inUtc}, ${relativeText(instantMs, now)}`;
}

/** The name of a delivery's channel; the channel's id if the channel is gone. */
export function formatDeliveryChannel(delivery: Pick<Delivery, "channel" | "platform">, channels: Channel[]): string {
  const channel = channels.find(({ id }) => id === delivery.channel);
  return channel === undefined ? `${delivery.channel} on ${delivery.platform}` : spoken(channel);
}

/** The delivery's address, its time, or the reason for its failure. */
export function outcomeText(
  { status, url, url_state, error, next_attempt_at, scheduled_for }: Delivery,
  now: number,
): string {
  if (url !== null) return url;
  if (error !== null) {
    const again = next_attempt_at === null ? "" : `, next attempt ${relativeText(Date.parse(next_attempt_at), now)}`;
    return error + again;
  }
  if (status === "handed_over") return "in the account's inbox, where its owner publishes it";
  if (status === "live") return url_state === "pending" ? "its URL is not known yet" : "the network provides no URL";
  const due = next_attempt_at ?? scheduled_for;
  return due === null || status !== "pending" ? "" : relativeText(Date.parse(due), now);
}

function writeDeliveries(out: Output, deliveries: Delivery[], channels: Channel[], now: number): void {
  writeTable(out, deliveries, [
    { title: "channel", of: (delivery) => formatDeliveryChannel(delivery, channels), least: 12 },
    {
      title: "status",
      of: ({ status }) => status,
      paint: (cell, { status }) => {
        const colour = COLOURS[status];
        return colour === undefined ? cell : out.paint(colour, cell);
      },
    },
    { title: "outcome", of: (delivery) => outcomeText(delivery, now) },
  ]);
  const width = Math.min(out.width(), 100);
  for (const delivery of deliveries) {
    const { hint, action, network_message, platform, parts, cost } = delivery;
    for (const { position, status, url } of parts ?? []) {
      const statusLine = `${statusText(out, status)}${url === null || position === 0 ? "" : ` ${url}`}`;
      out.line(
        `  ${formatDeliveryChannel(delivery, channels)}, part ${position + 1} of ${parts?.length}: ${statusLine}`,
      );
    }
    const name = formatDeliveryChannel(delivery, channels);
    if (cost !== null) out.line(`  ${name} charges ${costText(cost)}`);
    if (hint !== null) for (const line of hanging(`  ${name}: `, oneLine(hint), width)) out.line(line);
    if (network_message !== null) {
      for (const line of hanging(`  ${name} says: `, quoteWords(network_message), width)) out.line(line);
    }
    if (action?.startsWith("reconnect") === true) {
      for (const line of hanging("    → ", `crier channels connect ${platform}`, width)) out.line(line);
    }
  }
}

/** `$0.03: 0.015 to publish, 0.015 for rechecks`. */
function costText({ publish, rechecks, metrics }: NonNullable<Delivery["cost"]>): string {
  const total = formatUsd(publish + rechecks + metrics);
  return `${total}: ${formatUsd(publish)} to publish, ${formatUsd(rechecks + metrics)} for rechecks`;
}

export function writePost(out: Output, post: Post, channels: Channel[], now: number): void {
  const { id, status, text, publish_at, timezone, media, post_type, deliveries } = post;
  out.line(`${out.paint("bold", id)}  ${statusText(out, status)}`);
  const width = Math.min(out.width(), 100);
  if (text !== "") for (const line of hanging("  ", oneLine(text), width)) out.line(line);
  const facts = [
    publish_at === null ? null : timeText(publish_at, timezone, now),
    post_type,
    media.length === 0 ? null : `${media.length} file${media.length === 1 ? "" : "s"}`,
  ].filter((fact) => fact !== null);
  if (facts.length > 0) for (const line of hanging("  ", facts.join(" · "), width)) out.line(line);
  const approvalLine = approvalText(post, now);
  if (approvalLine !== null) for (const line of hanging("  ", approvalLine, width)) out.line(line);
  if (deliveries.length > 0) {
    out.line();
    writeDeliveries(out, deliveries, channels, now);
  }
}

/** The approval decision and its author; null if no approval was requested or the decision is outdated. */
function approvalText({ approval, rev, status }: Post, now: number): string | null {
  if (approval === null) return null;
  const when = relativeText(Date.parse(approval.at), now);
  if (approval.state === "waiting") return `Waiting for approval of revision ${rev}, requested ${when}`;
  const attribution = `by ${oneLine(approval.by ?? "someone")} ${when}`;
  if (approval.state === "approved") return `Approved ${attribution}`;
  return status === "draft" ? `Declined ${attribution}: ${oneLine(approval.reason ?? "")}` : null;
}

/** Prints the service's warnings about a post. */
export function writeWarnings(err: Output, warnings: Post["warnings"], channels: Channel[]): void {
  for (const { channel, message } of warnings) {
    const about = channels.find(({ id }) => id === channel);
    warn(err, `${about === undefined ? "" : `${spoken(about)}: `}${oneLine(message)}`);
  }
}
