import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createWebhook } from "../../../src/contract/webhooks.ts";
import {
  CHANNEL_EVENTS,
  DEFAULT_WEBHOOK_EVENTS,
  EVENT_NAMES,
  FEED_EVENTS,
  NAMED_EVENTS,
  WEBHOOK_TEST,
} from "../../../src/domain/event.ts";
import { ROOT } from "../../support/documents/markdown.ts";

describe("the events", () => {
  it("an endpoint that names no events receives the default ones, and the reference lists the others", () => {
    expect(DEFAULT_WEBHOOK_EVENTS).toEqual([
      ...["delivery.succeeded", "delivery.handed_over", "delivery.failed", "delivery.retrying"],
      ...["channel.token_expiring", "channel.disconnected"],
    ]);
    const { description } = z.toJSONSchema(createWebhook.body.shape.events);
    expect(description?.match(/[a-z]+\.[a-z_]+/g)).toEqual(NAMED_EVENTS);
  });

  it("every event is in the feed, either by default or as an event of channels", () => {
    expect([...FEED_EVENTS, ...CHANNEL_EVENTS].sort()).toEqual([...EVENT_NAMES].sort());
    expect(CHANNEL_EVENTS).toEqual([
      ...["channel.disconnected", "channel.connected", "channel.reconnected"],
      ...["channel.queue_low", "network.version_ending"],
    ]);
  });

  it("docs/webhooks.md lists every event, and marks those that an endpoint must name", () => {
    const rows = readFileSync(join(ROOT, "docs/webhooks.md"), "utf8")
      .split("\n")
      .filter((line) => /^\| `[a-z]+\.[a-z_]+`/.test(line));
    const findNames = (row: string) => (row.split("|")[1] ?? "").match(/[a-z]+\.[a-z_]+/g) ?? [];
    expect(rows.flatMap(findNames).sort()).toEqual([...EVENT_NAMES, WEBHOOK_TEST].sort());
    const rowsToName = rows.filter((row) => row.includes("sent only to endpoints that name it")).flatMap(findNames);
    expect(rowsToName.sort()).toEqual([...NAMED_EVENTS].sort());
  });
});
