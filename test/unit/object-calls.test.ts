// A deploy replaces the Worker within seconds, but a busy object only after up to a quarter of an hour. Until then the new Worker
// calls objects of the previous release and reads their queue messages (docs/operations.md, "Upgrade").
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import * as z from "zod";
import { ROOT } from "../support/documents/markdown.ts";

/**
 * The calls of the last release. Each release copies them from `src/env.ts` and `src/domain/job.ts`. Nothing has been
 * released yet, so until then this list changes with the code.
 */
const RELEASED_METHODS: Record<string, string[]> = {
  PublisherRpc: [
    "arm(lane: LaneName, dueAt: number): Promise<void>",
    "followUp(lane: LaneName, ...tasks: FollowUpTask[]): Promise<void>",
    'lookUp(lane: LaneName, request: LookUpRequest, freshness: "kept" | "anew"): Promise<LookUpAnswer | null>',
    "clear(): Promise<void>",
  ],
  SweeperRpc: ["ensure(): Promise<void>"],
  CounterRpc: [
    "take(limit: RateLimitName, tries?: number): Promise<{ waitS: number; room: Room }>",
    "clear(): Promise<void>",
  ],
  OutcomesRpc: ["add(counts: Record<string, number>): Promise<void>", "read(): Promise<OutcomeSlot[]>"],
  PasswordHasherRpc: [
    "hash(password: string): Promise<string | null>",
    "verify(password: string, stored: string | null): Promise<boolean | null>",
  ],
  WebhookDispatcherRpc: ["wake(workspace: string, webhook: string): Promise<void>"],
  McpConnectionRpc: ["end(): Promise<void>"],
};
const RELEASED_MESSAGES: Record<string, string[]> = {
  LaneName: ["workspaceId: string", "lane: number"],
  PublishJob: ['kind: "publish"', "workspace: string", "lane: number"],
  RenewCredentialJob: ['kind: "renew_credential"', "workspace: string", "lane: number", "channel: string"],
  AfterPublishJob: ['kind: "after_publish"', "workspace: string", "lane: number", "channel: string", "posts: string[]"],
  PreflightJob: [
    'kind: "preflight"',
    "workspace: string",
    "lane: number",
    "channel: string",
    "posts: string[]",
    "minutes: number",
  ],
  FollowUpsJob: ['kind: "follow_ups"', "workspace: string", "lane: number", "tasks: FollowUpTask[]"],
  ResetMailJob: ['kind: "reset_mail"', "email: string"],
  AccountMailJob: [
    'kind: "account_mail"',
    'about: "verify" | "change" | "change_asked" | "changed"',
    "user: string",
    "email: string",
  ],
  NotifyJob: ['kind: "notify"', "workspace: string"],
  ReadFeedJob: ['kind: "read_feed"', "workspace: string", "feed: string"],
  InvitationMailJob: ['kind: "invitation_mail"', "invitation: string"],
  ClearWorkspaceJob: ['kind: "clear_workspace"', "workspace: string"],
  EndConnectionsJob: ['kind: "end_connections"'],
};

const Member = z.object({ start: z.number(), end: z.number() });
const Interface = z.object({
  type: z.literal("TSInterfaceDeclaration"),
  id: z.object({ name: z.string() }),
  body: z.object({ body: z.array(Member) }),
});

/** Reads the members of each interface of a file as source text. */
function readInterfaces(file: string): Map<string, string[]> {
  const text = readFileSync(join(ROOT, file), "utf8");
  const { program } = parseSync(file, text);
  const statements: unknown[] = program.body.map((statement) =>
    statement.type === "ExportNamedDeclaration" ? statement.declaration : statement,
  );
  return new Map(
    statements.flatMap((statement) => {
      const { data } = Interface.safeParse(statement);
      if (data === undefined) return [];
      const members = data.body.body.map(({ start, end }) => text.slice(start, end).replace(/;$/, ""));
      return [[data.id.name, members] as const];
    }),
  );
}

const isOptional = (parameter: string) => /^\w+\?:/.test(parameter);

/** Whether callers of `released` may call `current`: the signatures are the same, or `current` has further optional parameters. */
function isCompatible(released: string, current: string): boolean {
  if (released === current) return true;
  const head = released.slice(0, released.lastIndexOf("): "));
  const answer = released.slice(released.lastIndexOf("): "));
  if (!current.startsWith(head) || !current.endsWith(answer)) return false;
  const added = current.slice(head.length, current.length - answer.length).replace(/^, /, "");
  return added.split(/, (?=\w+\??:)/).every(isOptional);
}

const interfaces = new Map([...readInterfaces("src/env.ts"), ...readInterfaces("src/domain/job.ts")]);

it.each(Object.entries(RELEASED_METHODS))("%s still answers the calls of the last release", (name, released) => {
  const current = interfaces.get(name) ?? [];
  const broken = released.filter((method) => !current.some((candidate) => isCompatible(method, candidate)));
  expect(broken, "keep the method for one release, see docs/operations.md, Upgrade").toEqual([]);
});

it.each(Object.entries(RELEASED_MESSAGES))("%s still has the fields that the last release sends", (name, released) => {
  const current = (interfaces.get(name) ?? []).filter((field) => !/^\w+\?:/.test(field));
  expect([...current].sort(), "see docs/operations.md, Upgrade").toEqual([...released].sort());
});

it("the lists have every object and every queue message", () => {
  const objects = [...interfaces.keys()].filter((name) => name.endsWith("Rpc"));
  expect(objects.sort()).toEqual(Object.keys(RELEASED_METHODS).sort());
  const jobs = [...interfaces.keys()].filter((name) => name.endsWith("Job"));
  expect(jobs.filter((name) => !(name in RELEASED_MESSAGES))).toEqual([]);
});

it.each([
  ["take(limit: Name): Promise<number>", "take(limit: Name): Promise<number>", true],
  ["take(limit: Name): Promise<number>", "take(limit: Name, tries?: number): Promise<number>", true],
  ["end(): Promise<void>", "end(reason?: string): Promise<void>", true],
  ["take(limit: Name): Promise<number>", "take(limit: Name, tries: number): Promise<number>", false],
  ["take(limit: Name): Promise<number>", "take(limit: Name): Promise<number | null>", false],
  ["take(limit: Name): Promise<number>", "take(limit: Other): Promise<number>", false],
  ["take(limit: Name): Promise<number>", "grab(limit: Name): Promise<number>", false],
])("a caller of `%s` can call `%s`: %s", (released, current, expected) => {
  expect(isCompatible(released, current)).toBe(expected);
});
