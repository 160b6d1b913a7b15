// The bindings of the runtime, and the calls that our objects answer.
import type { FollowUpTask, MaintenanceJob, WakeJob } from "./domain/job.ts";
import type { OutcomeSlot } from "./domain/lateness.ts";
import type { Letter } from "./domain/letter.ts";
import type { LookUpAnswer, LookUpRequest } from "./domain/option-lookup.ts";
import { isJurisdiction, isLocation } from "./domain/place.ts";
import type { RateLimitName, Room } from "./domain/rate-limit.ts";
import { SettingsError } from "./domain/settings-error.ts";
import type { SettingValues } from "./settings.ts";

/** The channels of a workspace that one publisher processes. */
interface LaneName {
  workspaceId: string;
  lane: number;
}
export interface PublisherRpc extends Rpc.DurableObjectBranded {
  readonly isAtWork: boolean;
  /** `dueAt`: epoch milliseconds. */
  arm(lane: LaneName, dueAt: number): Promise<void>;
  followUp(lane: LaneName, ...tasks: FollowUpTask[]): Promise<void>;
  lookUp(lane: LaneName, request: LookUpRequest, freshness: "kept" | "anew"): Promise<LookUpAnswer | null>;
  clear(): Promise<void>;
}
/** A lane, and when its next work is due (epoch milliseconds). */
export interface LaneEntry {
  lane: number;
  at: number;
}
export interface SweeperRpc extends Rpc.DurableObjectBranded {
  ensure(): Promise<void>;
}

export interface CounterRpc extends Rpc.DurableObjectBranded {
  take(limit: RateLimitName, tries?: number): Promise<{ waitS: number; room: Room }>;
  takeHost(workspaceId: string, host: string): Promise<number>;
  takeShare(workspaceId: string, calls: number): Promise<number>;
  clear(): Promise<void>;
}
/** The calls that the counter of outcomes answers. */
export interface OutcomesRpc extends Rpc.DurableObjectBranded {
  add(counts: Record<string, number>): Promise<void>;
  read(): Promise<OutcomeSlot[]>;
}
/** The calls that the object for password hashes answers. An answer is null if too many hashes are waiting. */
export interface PasswordHasherRpc extends Rpc.DurableObjectBranded {
  hash(password: string): Promise<string | null>;
  verify(password: string, stored: string | null): Promise<boolean | null>;
}
/** The calls that the dispatcher of a webhook endpoint answers. */
export interface WebhookDispatcherRpc extends Rpc.DurableObjectBranded {
  wake(workspace: string, webhook: string): Promise<void>;
}
/** The calls that an MCP connection answers, in addition to requests. */
interface McpConnectionRpc extends Rpc.DurableObjectBranded {
  end(): Promise<void>;
  announceChannels(): Promise<void>;
}
/** The interface of Cloudflare's email binding. */
interface SendBinding {
  send(mail: Omit<Letter, "reference"> & { from: string }): Promise<unknown>;
}

/** The name of the one sweeper. */
export const SWEEPER = "sweeper";

/** The databases after the first, by binding: `DB_1`, `DB_2`, ... */
type FurtherDatabases = Partial<Record<`DB_${number}`, D1Database>>;

export interface Env extends SettingValues, FurtherDatabases {
  /** The accounts database, which may also hold rows of workspaces. */
  DB: D1Database;
  MEDIA?: R2Bucket;
  /** Wakes publishers. */
  QUEUE: Queue<WakeJob>;
  /** Carries slow work: mail and cleanup. */
  MAINTENANCE: Queue<MaintenanceJob>;
  PUBLISHER: DurableObjectNamespace<PublisherRpc>;
  SWEEPER: DurableObjectNamespace<SweeperRpc>;
  COUNTER: DurableObjectNamespace<CounterRpc>;
  OUTCOMES: DurableObjectNamespace<OutcomesRpc>;
  PASSWORDS: DurableObjectNamespace<PasswordHasherRpc>;
  WEBHOOKS: DurableObjectNamespace<WebhookDispatcherRpc>;
  MCP: DurableObjectNamespace<McpConnectionRpc>;
  EMAIL?: SendBinding;
  /** Converts images; optional. */
  IMAGES?: ImagesBinding;
  /** The files of the dashboard. */
  ASSETS?: { fetch(url: URL): Promise<Response> };
}

/** Returns an object by name, in the jurisdiction of the deployment. A new object is created near the database. */
export function getObject<Calls extends Rpc.DurableObjectBranded>(
  { JURISDICTION, LOCATION }: SettingValues,
  namespace: DurableObjectNamespace<Calls>,
  name: string,
): DurableObjectStub<Calls> {
  if (isJurisdiction(JURISDICTION)) return namespace.jurisdiction(JURISDICTION).getByName(name);
  return isLocation(LOCATION) ? namespace.getByName(name, { locationHint: LOCATION }) : namespace.getByName(name);
}

/** The databases after the first, by number. Throws `SettingsError` if a number is missing. */
export function furtherDatabases(env: FurtherDatabases): D1Database[] {
  const bound = Object.entries(env).filter(([name, value]) => /^DB_\d+$/.test(name) && value !== undefined);
  return bound.map((_, i) => {
    const database = env[`DB_${i + 1}`];
    if (database === undefined) throw new SettingsError(`DB_${i + 1} is not bound, though a later database is`);
    return database;
  });
}
