// What an operation or a step of publishing works with. Everything outside passes through here.
import type { Bucket } from "./adapters/bucket.ts";
import type { Idp } from "./adapters/idp.ts";
import type { Images } from "./adapters/images.ts";
import type { Mail } from "./adapters/mail.ts";
import type { Outbound } from "./adapters/outbound.ts";
import type { Passwords } from "./adapters/password.ts";
import type { Seal } from "./adapters/seal.ts";
import type { Entropy } from "./domain/ids.ts";
import type { FollowUpTask, Job } from "./domain/job.ts";
import type { OutcomeSlot } from "./domain/lateness.ts";
import type { LookUpAnswer, LookUpRequest } from "./domain/option-lookup.ts";
import type { RateLimitName } from "./domain/rate-limit.ts";
import type { Role, Scope } from "./domain/roles.ts";
import type { LaneEntry } from "./env.ts";
import type { NetworkIO } from "./networks/network.ts";
import type { Settings } from "./settings.ts";
import type { Database } from "./store/db/db.ts";
import type { Homes } from "./store/homes.ts";

export interface Context {
  settings: Settings;
  /** Users, sessions, workspaces and keys, and where the rows of each workspace are. */
  accounts: Database;
  /** Where the rows of each workspace are. */
  homes: Homes;
  /** The database that holds a workspace's rows; its home is known where its credential was read, or else looked for first. */
  databaseOf(workspaceId: string): Database;
  /** All that hold rows of workspaces, by their number: what concerns all workspaces walks through each by itself. */
  databases: readonly Database[];
  /** Epoch milliseconds. */
  now(): number;
  /** Ends after so many milliseconds, or when `signal` says so. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
  entropy: Entropy;
  publishers: {
    /** Has publishers look at their lanes at these instants. A lost call is found by the sweeper. */
    arm(workspaceId: string, entries: LaneEntry[]): Promise<void>;
    /** Has a publisher look at something before or after publishing. */
    followUp(workspaceId: string, lane: number, ...tasks: FollowUpTask[]): Promise<void>;
    /**
     * What a network offers for an option of a channel: as the publisher knows it (null: not, or not any more), or as it asks
     * the network for it.
     */
    lookUp(
      workspaceId: string,
      lane: number,
      request: LookUpRequest,
      how: "kept" | "anew",
    ): Promise<LookUpAnswer | null>;
    /** Has the publishers of a workspace that is gone forget everything. */
    clear(workspaceId: string, lanes: number): Promise<void>;
  };
  webhooks: {
    /** Delivers due messages to endpoints. Throws nothing: a lost call is found by the sweeper. */
    wake(workspaceId: string, webhookIds: string[]): Promise<void>;
  };
  mcp: {
    /** Ends MCP connections, by `connectionOf` of their callers, whose credential is no longer good. Throws nothing. */
    end(connections: string[]): Promise<void>;
    /**
     * Tells the connections of a workspace that a channel has come, gone, or needs a new credential. Throws nothing: a lost call is
     * noticed when a client listens again.
     */
    announceChannels(workspaceId: string): Promise<void>;
  };
  /** Puts jobs onto the queue of their kind. */
  queue: { send(jobs: Job[]): Promise<void> };
  /** null: not configured. */
  bucket: Bucket | null;
  /** null: not configured. */
  images: Images | null;
  /** null: not configured. */
  seal: Seal | null;
  passwords: Passwords;
  outbound: Outbound;
  /** null: not configured. */
  mail: Mail | null;
  /** null: not configured. */
  idp: Idp | null;
  /** The caller's address as it is counted; null when nobody else can have it (a local run). */
  address: string | null;
  /** The caller's address as it is; null where it is not known. */
  clientAddress: string | null;
  /** The caller's program in short, where it names itself. */
  userAgent: string | null;
  /** Credentials, by the hash of their token, that the database has confirmed a short while ago: only their bodies are read. */
  provenCredentials: {
    has(tokenHash: string, now: number): boolean;
    add(tokenHash: string, now: number): void;
    delete(tokenHash: string): void;
  };
  /** Descriptions of OAuth clients that were read a short while ago, by their address. */
  clientDocuments: {
    get(address: string, now: number): Record<string, unknown> | null;
    keep(address: string, document: Record<string, unknown>, now: number): void;
  };
  limits: {
    /** Counts tries of `who`, one by default; throws nothing. Returns the seconds to wait, 0 when they are allowed. */
    take(limit: RateLimitName, who: string, tries?: number): Promise<number>;
    clear(limit: RateLimitName, who: string): Promise<void>;
  };
  /** How deliveries of all workspaces went in the last hour, counted. */
  outcomes: {
    add(counts: Record<string, number>): Promise<void>;
    read(): Promise<OutcomeSlot[]>;
  };
  /**
   * Counts a call, for a workspace, of the host of an address that a caller named. Returns the seconds to wait, 0 when it may
   * be made.
   */
  takeHost(workspaceId: string, url: string): Promise<number>;
  /** The outside world as the connector of `platform` sees it. */
  networkIO(platform: string): NetworkIO;
  /** Where a browser finds an address of a network: there, or in the sandbox at its simulator. */
  addressOf(platform: string, url: string): string;
  /** Work that the answer does not wait for. Its failure is logged. */
  later(work: Promise<unknown>): void;
}

/** Who calls, and in which workspace. `name`: as people read it. */
export type Caller =
  | { kind: "nobody" }
  /** `channels`: those that it may know of and use; null: all. */
  | {
      kind: "key";
      keyId: string;
      name: string;
      workspaceId: string;
      scopes: readonly Scope[];
      channels: readonly string[] | null;
      /** What it may schedule in a month, in millionths of a US dollar; null: no limit of its own. */
      budget: number | null;
    }
  /** An MCP client that a user authorized for one workspace. */
  | { kind: "grant"; grantId: string; userId: string; name: string; workspaceId: string; role: Role }
  /** A user in one of their workspaces. */
  | { kind: "session"; userId: string; tokenHash: string; name: string; workspaceId: string; role: Role }
  /** A user by themselves. */
  | { kind: "session"; userId: string; tokenHash: string; workspaceId: null };

/** Somebody without an account, who decides on a post of the workspace by its link. No operation is theirs to call. */
export interface Reviewer {
  kind: "reviewer";
  /** As they give it. */
  name: string;
  workspaceId: string;
}
