// Formats a failure for people: which channel broke which rule, by how much, and what to type next.

import type { RefusalBody } from "../../src/client/calls.ts";
import { renameCalls } from "../../src/domain/call-names.ts";
import { formatUsd } from "../../src/domain/money.ts";
import type { Channel } from "../channel.ts";
import { nameFor, spoken } from "../channels.ts";
import type { Shell } from "../command.ts";
import { EXIT, Failure, nameOfFailure, Refused } from "../failure.ts";
import { writeJson } from "../session.ts";
import type { Typed } from "../typed.ts";
import { COMMANDS_OF_CALLS } from "./call-names.ts";
import { bytesText, number, spanText, unitText } from "./format.ts";
import { hanging, type Output, oneLine, quoteWords } from "./terminal.ts";

type Violation = NonNullable<RefusalBody["violations"]>[number];

const NOTHING: Typed = { channels: [], files: [] };

/** Prints the reason on stderr; with `json` the service's own refusal, or the command line's in the same form, goes to stdout. */
export function writeFailure(error: unknown, { out, err }: Shell, json: boolean): void {
  const width = Math.min(err.width(), 100);
  if (!(error instanceof Failure)) {
    err.line(
      `${err.paint("red", "error:")} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    err.line("This is a bug in crier. Please report it with the lines above.");
    return;
  }
  if (error.exitCode === EXIT.interrupted) {
    err.line(error.message);
    return;
  }
  if (error instanceof Refused) {
    if (json) writeJson(out, error.body);
    for (const line of refusalLines(error.status, error.body, error.typed ?? NOTHING, { width, paint: err.paint }))
      err.line(line);
    return;
  }
  if (json)
    writeJson(out, {
      error: nameOfFailure(error),
      message: error.message,
      ...(error.hint === null ? {} : { hint: error.hint }),
    });
  for (const line of hanging(`${err.paint("red", "error:")} `, error.message, width)) err.line(line);
  if (error.hint !== null) for (const line of hanging("  → ", error.hint, width)) err.line(line);
}

interface Style {
  width: number;
  paint: Output["paint"];
}

export function refusalLines(status: number, body: RefusalBody, typed: Typed, { width, paint }: Style): string[] {
  const { violations = [] } = body;
  const prefix = paint("red", "refused:");
  if (violations.length === 0) {
    const next = nextStep(body.error, { field: body.field, channel: channelIn(body.message, typed)?.id }, typed);
    return [
      ...hanging(`${prefix} `, `${oneLine(body.message)} (${status} ${body.error})`, width),
      ...(body.network_message === undefined
        ? []
        : hanging("  the network says: ", quoteWords(body.network_message), width)),
      ...planLines(body),
      ...hintLines(body.hint, next, { width, paint }),
      ...(status >= 500 ? [`  request ${body.request_id}`] : []),
    ];
  }
  return [
    ...hanging(
      `${prefix} `,
      `the post breaks ${violations.length === 1 ? "a rule" : `${violations.length} rules`}; nothing was sent.`,
      width,
    ),
    ...violations.flatMap((broken) => ["", ...violationLines(broken, typed, { width, paint })]),
  ];
}

function violationLines(broken: Violation, typed: Typed, { width, paint }: Style): string[] {
  const channel = typed.channels.find(({ id }) => id === broken.channel);
  const where = [
    channel === undefined ? (broken.platform ?? broken.channel) : spoken(channel),
    describeField(broken, typed),
  ].filter((place) => place !== undefined && place !== null);
  const measure = formatMeasure(broken);
  const head = [where.join(", ") || broken.code, measure].filter((text) => text !== null).join(": ");
  return [
    ...hanging("  ", head, width).map((line) => paint("bold", line)),
    ...hanging("    ", oneLine(broken.message), width),
    ...hintLines(broken.hint, nextStep(broken.code, broken, typed), { width, paint }, "    "),
  ];
}

/** `312 of 300 graphemes, 12 too many`; null for a rule without a measure. */
function formatMeasure({ limit, actual, unit, over_by: over, at_least: isLeast }: Violation): string | null {
  if (limit === undefined || actual === undefined) return null;
  const words = unitText(unit ?? "");
  if (unit === "bytes") {
    const away = over === undefined ? "too few" : `${bytesText(over)} too many`;
    return `${bytesText(actual)} where ${bytesText(limit)} is the ${over === undefined ? "least" : "most"}, ${away}`;
  }
  if (over !== undefined) {
    const least = isLeast === true ? "at least " : "";
    return `${least}${number(actual)} of ${number(limit)} ${words}, ${number(over)} too many`;
  }
  return `${number(actual)} ${words}, at least ${number(limit)} needed`;
}

/** The typed argument that a JSON pointer refers to. */
function describeField({ field, channel }: Pick<Violation, "field" | "channel">, { files }: Typed): string | null {
  if (field === undefined) return null;
  const [first = "", second = "", third = ""] = field.split("/").slice(1);
  if (first === "media" || first === "media_preview") return second === "" ? "files" : (files[Number(second)] ?? field);
  if (first === "overrides") return third === "" ? null : third;
  if (first === "publish_at") return "--at";
  if (first === "post_type") return "--type";
  if (first === "channels") return channel === undefined ? "--channel" : null;
  return first === "text" ? "text" : field;
}

function channelIn(message: string, { channels }: Typed): Channel | undefined {
  return channels.find(({ id }) => message.includes(id));
}

/** The next command to type; null if the service's hint is enough. */
function nextStep(
  code: string,
  { channel: id, field, platform }: Partial<Violation>,
  { channels, files }: Typed,
): string | null {
  const channel = channels.find((candidate) => candidate.id === id);
  const name = channel === undefined ? "CHANNEL" : nameFor(channel, channels);
  const option = field?.split("/")[3] ?? "OPTION";
  const on = channel?.platform ?? platform ?? "PLATFORM";
  switch (code) {
    case "text_too_long":
    case "too_many_text_parts":
    case "character_not_allowed":
      return `shorten it, or set a separate text for this channel: --set ${quoted(`${name}.text=…`)}`;
    case "text_required":
      return "crier post 'your text' …, or add --file PATH";
    case "too_many_images":
    case "too_many_videos":
    case "mixed_media_not_allowed":
      return "remove a --file, or post to this channel separately";
    case "media_required":
      return "--file PATH";
    case "alt_too_long":
      return "use a shorter --alt text";
    case "option_required":
      return `--set ${quoted(`${name}.${option}=…`)}   allowed values: crier platforms ${on}`;
    case "invalid_option":
      return `change --set ${quoted(`${name}.${option}=…`)}   allowed values: crier platforms ${on}`;
    case "channels_required":
      return channels.length === 0
        ? "crier channels connect PLATFORM"
        : `--channel ${quoted(channels.map((typedChannel) => nameFor(typedChannel, channels))[0] ?? "")}   all: crier channels`;
    case "override_for_unknown_channel":
      return `use --channel ${quoted(name)}`;
    case "unknown_channel":
      return "crier channels";
    case "unknown_media":
      return files.length > 0 ? "run the same command again to upload the file again" : null;
    case "channel_not_connected":
    case "channel_needs_reconnect":
      return `crier channels connect ${on}`;
    case "connector_request_only":
    case "unknown_platform":
      return "crier platforms";
    case "publish_at_in_past":
      return "--at with a later time, or without --at to publish now";
    case "publish_at_invalid":
      return "--at '2026-12-01 9:00', --at +2h, --at 'tomorrow 9:00'";
    case "not_found":
      return "check the id and the workspace: crier status, crier plan";
    case "idempotency_key_reused":
      return "use another --idempotency-key, or omit it to get a new one";
    case "post_changed":
      return "check the post with crier status, then use its current --rev";
    case "unauthorized":
    case "key_revoked":
      return "crier login";
    case "plan_limit":
      return "crier plan";
    default:
      return null;
  }
}

/** The service's hints describe API calls; where the CLI has an equivalent command, that is shown instead. */
function hintLines(
  serviceHint: string | undefined,
  next: string | null,
  { width, paint }: Style,
  indent = "  ",
): string[] {
  const hint = serviceHint === undefined ? undefined : renameCalls(serviceHint, COMMANDS_OF_CALLS);
  const serviceHintLines =
    hint !== undefined && (next === null || !hint.includes("`")) ? hanging(`${indent}`, oneLine(hint), width) : [];
  const typed = next === null ? [] : hanging(`${indent}→ `, next, width).map((line) => paint("cyan", line));
  return [...serviceHintLines, ...typed];
}

function planLines({ limit, used, allowed, resets_at, retry_after }: RefusalBody): string[] {
  const lines: string[] = [];
  if (limit !== undefined && used !== undefined && allowed !== undefined) {
    const amount = limit === "budget" ? formatUsd : limit.endsWith("_bytes") ? bytesText : number;
    const away = resets_at == null ? "" : `; resets on ${resets_at.slice(0, 10)} UTC`;
    lines.push(`  ${limit}: ${amount(used)} of ${amount(allowed)} in use${away}`);
  }
  if (retry_after !== undefined) lines.push(`  try again in ${spanText(retry_after * 1000)}`);
  return lines;
}

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return /^[\w@:./=+-]+$/.test(word) ? word : `'${oneLine(word).replaceAll("'", "'\\''")}'`;
}
