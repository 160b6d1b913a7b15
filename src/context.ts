// The dependencies of an operation or a publishing step. All access to the outside goes through this interface.
import type { Bucket } from "./adapters/bucket.ts";
import type { ClientSigner } from "./adapters/client-signer.ts";
import type { Idp } from "./adapters/idp.ts";
import type { Images } from "./adapters/images.ts";
import type { Mail } from "./adapters/mail.ts";
import type { Outbound } from "./adapters/outbound.ts";
import type { Passwords } from "./adapters/password.ts";
import type { ReceiptSigner } from "./adapters/receipt-signer.ts";
import type { Seal } from "./adapters/seal.ts";
import type { AccountScope } from "./domain/account-scopes.ts";
import type { Entropy } from "./domain/ids.ts";
import type { FollowUpTask, Job } from "./domain/job.ts";
import type { OutcomeSlot } from "./domain/lateness.ts";
import type { LookUpAnswer, LookUpRequest } from "./domain/option-lookup.ts";
import type { RateLimitName, Room } from "./domain/rate-limit.ts";
import type { Role, Scope } from "./domain/roles.ts";
import type { LaneEntry } from "./env.ts";
import type { NetworkIO, OAuthClient } from "./networks/network.ts";
import type { Settings } from "./settings.ts";
import type { Database } from "./store/db/db.ts";
import type { Homes } from "./store/homes.ts";

export interface Context {
  settings: Settings;
  /** The database of users, sessions, workspaces and keys. It also records which database holds each workspace's rows. */
  accounts: Database;
  /** Finds the database that holds each workspace's rows. */
  homes: Homes;
  /**
   * The database that holds a workspace's rows. The workspace's home must be known, either from reading the credential or
   * from a lookup.
   */
  databaseOf(workspaceId: string): Database;
  /** All databases with rows of workspaces, by number. Work that concerns all workspaces visits each of them. */
  databases: readonly Database[];
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after this many milliseconds, or when `signal` aborts. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
  entropy: Entropy;
  publishers: {
    /** Asks publishers to check their lanes at these instants. The sweeper catches lost calls. */
    arm(workspaceId: string, entries: LaneEntry[]): Promise<void>;
    /** Asks a publisher to run a task before or after publishing. */
    followUp(workspaceId: string, lane: number, ...tasks: FollowUpTask[]): Promise<void>;
    /**
     * The choices that a network offers for a channel's option: from the publisher's cache (null: not cached, or expired),
     * or read from the network.
     */
    lookUp(
      workspaceId: string,
      lane: number,
      request: LookUpRequest,
      mode: "kept" | "anew",
    ): Promise<LookUpAnswer | null>;
    /** Makes the publishers of a deleted workspace delete all their data. */
    clear(workspaceId: string, lanes: number): Promise<void>;
  };
  webhooks: {
    /** Delivers due messages to endpoints. Never throws: the sweeper catches lost calls. */
    wake(workspaceId: string, webhookIds: string[]): Promise<void>;
  };
  mcp: {
    /** Ends the MCP connections with these names (`getConnectionName`): their credential is no longer valid. Never throws. */
    end(connections: string[]): Promise<void>;
    /**
     * Tells the connections of a workspace that a channel was added or removed, or needs a new credential. Never throws: a
     * lost call is noticed when a client listens again.
     */
    announceChannels(workspaceId: string): Promise<void>;
  };
  /** Enqueues jobs on the queue of their kind. */
  queue: { send(jobs: Job[]): Promise<void> };
  /** null: not configured. */
  bucket: Bucket | null;
  /** null: not configured. */
  images: Images | null;
  /** null: not configured. */
  seal: Seal | null;
  /** null: not configured. */
  receipts: ReceiptSigner | null;
  /** The keys of `oauthClient`; null: not configured. */
  clientKeys: ClientSigner | null;
  /** null: no keys, or no public address. */
  oauthClient: OAuthClient | null;
  passwords: Passwords;
  outbound: Outbound;
  /** null: not configured. */
  mail: Mail | null;
  /** null: not configured. */
  idp: Idp | null;
  /** The caller's address for rate limits; null in a local run, where every caller has the same address. */
  address: string | null;
  /** The caller's exact address; null if unknown. */
  clientAddress: string | null;
  /** A short name of the caller's program, if it sends one. */
  userAgent: string | null;
  /**
   * Credentials that the database has recently confirmed, by the hash of their token. A request body is read only for
   * these credentials.
   */
  provenCredentials: {
    has(tokenHash: string, now: number): boolean;
    add(tokenHash: string, now: number): void;
    delete(tokenHash: string): void;
  };
  /** Recently read descriptions of OAuth clients, by address. */
  clientDocuments: {
    get(address: string, now: number): Record<string, unknown> | null;
    keep(address: string, document: Record<string, unknown>, now: number): void;
  };
  limits: {
    /** Counts tries of `subject`, one by default. Never throws. Returns the seconds to wait, or 0 if the tries are allowed. */
    take(limit: RateLimitName, subject: string, tries?: number): Promise<number>;
    clear(limit: RateLimitName, subject: string): Promise<void>;
    /** The tightest room that the limits of this call's workspace leave; null if none was asked. */
    room(): Room | null;
  };
  /** Counts of delivery outcomes in all workspaces in the last hour. */
  outcomes: {
    add(counts: Record<string, number>): Promise<void>;
    read(): Promise<OutcomeSlot[]>;
  };
  /**
   * Counts a workspace's call to the host of an address that a caller supplied. Returns the seconds to wait, or 0 if the
   * call is allowed.
   */
  takeHost(workspaceId: string, url: string): Promise<number>;
  /** The outside world as the connector of `platform` sees it. */
  networkIO(platform: string): NetworkIO;
  /** The address to open in a browser for a network's address: the same one, or the simulator's in the sandbox. */
  addressOf(platform: string, url: string): string;
  /** Runs work after the answer. Failures are logged. */
  later(work: Promise<unknown>): void;
}

interface AccountKeyFacts {
  kind: "account_key";
  keyId: string;
  userId: string;
  name: string;
  scopes: readonly AccountScope[];
}

/** The caller and their workspace. `name`: for display. */
export type Caller =
  | { kind: "nobody" }
  /** `channels`: the only channels that the key may see and use; null: all. */
  | {
      kind: "key";
      keyId: string;
      name: string;
      workspaceId: string;
      scopes: readonly Scope[];
      channels: readonly string[] | null;
      /** The monthly spending limit of the key, in millionths of a US dollar; null: no limit of its own. */
      budget: number | null;
    }
  /** An MCP client that a user authorized for one workspace. */
  | { kind: "grant"; grantId: string; userId: string; name: string; workspaceId: string; role: Role }
  /** A member for whom Crier acts by itself, as for a feed: without a session, and with the rights that they have had since `since`. */
  | { kind: "member"; userId: string; since: number; name: string; workspaceId: string; role: Role }
  /**
   * A program that acts for the person who created its key, `userId`, as far as the key's scopes say: in one of the
   * workspaces that the person owns, or in none.
   */
  | (AccountKeyFacts & { workspaceId: string })
  | (AccountKeyFacts & { workspaceId: null })
  /** A user in one of their workspaces. */
  | { kind: "session"; userId: string; tokenHash: string; name: string; workspaceId: string; role: Role }
  /** A user without a workspace. */
  | { kind: "session"; userId: string; tokenHash: string; workspaceId: null };

/** A person who decides on a post through a review link, without an account. A reviewer can call no operation. */
export interface Reviewer {
  kind: "reviewer";
  /** The name that the reviewer entered. */
  name: string;
  workspaceId: string;
}
