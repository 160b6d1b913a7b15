// The state of a Cloudflare account, as far as a deploy uses it.
import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";

export interface Binding {
  name: string;
  type: string;
  text?: string;
  [more: string]: unknown;
}
export interface Version {
  id: string;
  bindings: Binding[];
  /** The name of the main module; `modules` has all modules by name. */
  main: string;
  modules: Map<string, string>;
  metadata: Record<string, unknown>;
}
interface Consumer {
  consumer_id: string;
  type: string;
  script: string;
  dead_letter_queue?: string;
  settings: Record<string, unknown>;
}
export interface Queue {
  queue_id: string;
  queue_name: string;
  jurisdiction?: string;
  consumers: Consumer[];
  /** The time at which the oldest waiting message arrived. */
  oldestAt: number | null;
}
export interface Worker {
  tag: string;
  versions: Version[];
  /** The id of the version that is deployed. */
  deployed: string;
  migrationTag?: string;
  crons: string[];
  subdomain: { enabled: boolean; previews_enabled: boolean };
}
export interface Database {
  uuid: string;
  name: string;
  location?: string;
  jurisdiction?: string;
  bytes: number;
  sqlite: DatabaseSync;
}
export interface Domain {
  hostname: string;
  service: string;
}

export class Account {
  readonly id = "0123456789abcdef0123456789abcdef";
  /** The rows of the analytics, by dataset. */
  analytics = new Map<string, object[]>();
  /** The plan of Workers. */
  plan: "free" | "paid" = "paid";
  /** Whether R2 has been enabled, which requires a payment card. */
  hasR2 = true;
  /** Whether Workers may have an Images binding. */
  hasImages = true;
  subdomain: string | null = null;
  readonly databases: Database[] = [];
  readonly buckets = new Map<string, { rules: unknown[]; jurisdiction?: string }>();
  readonly queues: Queue[] = [];
  readonly workers = new Map<string, Worker>();
  readonly domains: Domain[] = [];

  createDatabase(name: string, location?: string, jurisdiction?: string): Database {
    const database = {
      uuid: randomUUID(),
      name,
      location,
      jurisdiction,
      bytes: 200_000,
      sqlite: new DatabaseSync(":memory:"),
    };
    this.databases.push(database);
    return database;
  }

  createQueue(name: string, jurisdiction?: string): Queue {
    const queue = { queue_id: randomUUID(), queue_name: name, jurisdiction, consumers: [], oldestAt: null };
    this.queues.push(queue);
    return queue;
  }

  /** Returns the deployed version of a Worker. */
  getDeployed(name: string): Version | undefined {
    const worker = this.workers.get(name);
    return worker?.versions.find(({ id }) => id === worker.deployed);
  }

  /** Returns everything that a deploy could have changed, without the values of secrets, for comparisons. */
  snapshot(): unknown {
    return {
      subdomain: this.subdomain,
      databases: this.databases.map(({ uuid, name, location, sqlite }) => ({
        uuid,
        name,
        location,
        tables: sqlite.prepare("SELECT name, sql FROM sqlite_master ORDER BY name").all(),
        migrations: hasMigrations(sqlite) ? sqlite.prepare("SELECT id, name FROM d1_migrations ORDER BY id").all() : [],
      })),
      buckets: [...this.buckets],
      queues: structuredClone(this.queues),
      workers: [...this.workers].map(([name, worker]) => ({ name, ...worker })),
      domains: structuredClone(this.domains),
    };
  }

  close(): void {
    for (const { sqlite } of this.databases) sqlite.close();
  }
}

const hasMigrations = (sqlite: DatabaseSync) =>
  sqlite.prepare("SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'").get() !== undefined;
