// The resources that the Worker is bound to. Each is looked up first, and created only if it is missing.
import { readdirSync } from "node:fs";
import * as z from "zod";
import type { Query } from "../query.ts";
import { type Cloudflare, CREATION_TRIES, DASHBOARD, Refused, retrying } from "./cloudflare.ts";
import { DeployFailure } from "./failure.ts";
import { databaseName, type Installation } from "./installation.ts";
import type { Place } from "./place.ts";

/** The context of a step, and where it reports its progress. */
export interface Work {
  cloudflare: Cloudflare;
  installation: Installation;
  place: Place;
  /** Changes nothing, and prints the planned changes. */
  plan: boolean;
  tell(text: string): void;
  /** Reports a missing resource that a deploy would create. */
  tellPlanned(text: string): void;
}

/** The account has no such Worker or workers.dev name. */
const NOT_THERE = 10007;

/** Another account has this name on workers.dev. */
const NAME_UNAVAILABLE = 10031;

/** null: it does not exist. */
export async function found<Result>(call: Promise<Result>): Promise<Result | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Refused && (error.status === 404 || error.codes.includes(NOT_THERE))) return null;
    throw error;
  }
}

/**
 * Creates a resource if it does not exist. After a failed creation, looks for it again, because the answer may have
 * been lost, or another process may have created it first.
 */
async function ensure<Thing>(
  { plan, tell, tellPlanned }: Work,
  name: string,
  find: () => Promise<Thing | null>,
  make: () => Promise<unknown>,
): Promise<Thing | null> {
  const there = await find();
  if (there !== null) {
    tell(`${name} exists`);
    return there;
  }
  if (plan) {
    tellPlanned(`${name} would be created`);
    return null;
  }
  const resource = await retrying(CREATION_TRIES, async () => {
    try {
      await make();
    } catch (error) {
      const after = await find();
      if (after !== null) return after;
      throw error;
    }
    const after = await find();
    if (after !== null) return after;
    throw new DeployFailure(`${name} was created, but Cloudflare does not list it yet.`, "Wait a minute.");
  });
  tell(`${name} created`);
  return resource;
}

const Database = z.object({ uuid: z.string() });

/** The ids of the databases, by number; null for a planned database. */
export async function ensureDatabases(work: Work, count: number): Promise<(string | null)[]> {
  const { cloudflare, installation, place } = work;
  const ids: (string | null)[] = [];
  for (let home = 0; home < count; home++) {
    const name = databaseName(installation.database, home);
    const path = `/d1/database/${encodeURIComponent((home === 0 ? installation.databaseId : null) ?? name)}`;
    const find = () => found(cloudflare.call(Database, "GET", path));
    const where = { primary_location_hint: place.location ?? undefined, jurisdiction: place.jurisdiction ?? undefined };
    const body = { name, ...where };
    const database = await ensure(work, name, find, () => cloudflare.call(Database, "POST", "/d1/database", body));
    ids.push(database?.uuid ?? null);
  }
  return ids;
}

/** Each jurisdiction has separate buckets and bucket names. */
const bucketHeaders = ({ jurisdiction }: Place): Record<string, string> =>
  jurisdiction === null ? {} : { "cf-r2-jurisdiction": jurisdiction };

export async function ensureBucket(work: Work): Promise<void> {
  const { cloudflare, installation, place } = work;
  const headers = bucketHeaders(place);
  const path = `/r2/buckets/${installation.bucket}`;
  const find = () => found(cloudflare.call(z.unknown(), "GET", path, undefined, headers));
  const body = { name: installation.bucket, locationHint: place.location ?? undefined };
  await ensure(work, installation.bucket, find, () =>
    cloudflare.call(z.unknown(), "POST", "/r2/buckets", body, headers),
  );
}

const Subdomain = z.object({ subdomain: z.string() });

/** The account's workers.dev subdomain; null if it is only planned. */
export async function ensureSubdomain(work: Work): Promise<string | null> {
  const { cloudflare, installation } = work;
  const path = "/workers/subdomain";
  // Each of these names exists once for all accounts. This one is the same in every run.
  const subdomainName = `${installation.name}-${cloudflare.accountId.slice(0, 8)}`;
  const registered = await ensure(
    work,
    "the account's workers.dev subdomain",
    () => found(cloudflare.call(Subdomain, "GET", path)),
    async () => {
      try {
        await cloudflare.call(Subdomain, "PUT", path, { subdomain: subdomainName });
      } catch (error) {
        if (!(error instanceof Refused && error.codes.includes(NAME_UNAVAILABLE))) throw error;
        const page = `${DASHBOARD}/${cloudflare.accountId}/workers/onboarding`;
        throw new DeployFailure(error.message, `Choose a workers.dev subdomain yourself: ${page}`);
      }
    },
  );
  return registered?.subdomain ?? null;
}

const CorsRule = z.looseObject({
  id: z.string().optional(),
  allowed: z.looseObject({
    origins: z.array(z.string()),
    methods: z.array(z.string()),
    headers: z.array(z.string()).optional(),
  }),
  exposeHeaders: z.array(z.string()).optional(),
});
const Cors = z.object({ rules: z.array(CorsRule).optional() });
const CORS_RULE_ID = "crier-uploads";
const CORS_SECONDS_MAX = 3_600;

/**
 * Lets browsers upload from the dashboard's pages, and read the `ETag` of the chunks of a large file. Other rules stay.
 */
export async function ensureCors(
  { cloudflare, installation, place, plan, tell, tellPlanned }: Work,
  origin: string,
): Promise<void> {
  const path = `/r2/buckets/${installation.bucket}/cors`;
  const rules = (await found(cloudflare.call(Cors, "GET", path, undefined, bucketHeaders(place))))?.rules ?? [];
  const lets = ({ allowed, exposeHeaders = [] }: z.infer<typeof CorsRule>) =>
    allowed.origins.some((allowedOrigin) => allowedOrigin === origin || allowedOrigin === "*") &&
    allowed.methods.includes("PUT") &&
    (allowed.headers ?? []).some((header) => header === "*" || header.toLowerCase() === "content-type") &&
    exposeHeaders.some((header) => header === "*" || header.toLowerCase() === "etag");
  if (rules.some(lets)) return tell(`uploads from ${origin} are allowed`);
  if (plan) return tellPlanned(`uploads from ${origin} would be allowed`);
  const ours = {
    id: CORS_RULE_ID,
    allowed: { origins: [origin], methods: ["PUT"], headers: ["content-type"] },
    exposeHeaders: ["ETag"],
    maxAgeSeconds: CORS_SECONDS_MAX,
  };
  const body = { rules: [...rules.filter(({ id }) => id !== CORS_RULE_ID), ours] };
  await cloudflare.call(z.unknown(), "PUT", path, body, bucketHeaders(place));
  tell(`uploads from ${origin} allowed`);
}

const Queue = z.object({
  queue_id: z.string(),
  queue_name: z.string(),
  consumers: z.array(z.object({ script: z.string().optional(), service: z.string().optional() })).nullish(),
});
export type Queue = z.infer<typeof Queue>;

export const listConsumers = ({ consumers }: Queue) =>
  (consumers ?? []).map(({ script, service }) => script ?? service);

export async function ensureQueues(work: Work): Promise<Queue[]> {
  const { cloudflare, installation, place } = work;
  const queues: Queue[] = [];
  for (const name of new Set(installation.queues.values())) {
    const find = async () => {
      const matchingQueues = await cloudflare.call(
        z.array(Queue),
        "GET",
        `/queues?page=1&name=${encodeURIComponent(name)}`,
      );
      return matchingQueues.find(({ queue_name }) => queue_name === name) ?? null;
    };
    const queue = await ensure(work, name, find, () =>
      cloudflare.call(z.unknown(), "POST", "/queues", {
        queue_name: name,
        jurisdiction: place.jurisdiction ?? undefined,
      }),
    );
    if (queue === null) continue;
    const foreignConsumer = listConsumers(queue).find((consumer) => consumer !== installation.name);
    if (foreignConsumer !== undefined)
      throw createNameConflict(`The queue ${name} is consumed by ${foreignConsumer}, which is not this installation.`);
    queues.push(queue);
  }
  return queues;
}

/** Another resource on the account has the name. */
export const createNameConflict = (message: string) =>
  new DeployFailure(message, "Give this installation another name: npm run deploy -- --name another-name");

const Rows = z.array(
  z.object({
    results: z.array(z.record(z.string(), z.unknown())),
    meta: z.object({ served_by_region: z.string().nullish() }).nullish(),
  }),
);

/** The region that runs a database, such as `weur`; undefined: unknown. */
export async function whereDatabaseRuns(cloudflare: Cloudflare, databaseId: string): Promise<string | undefined> {
  const sql = "SELECT 1";
  const [result] = await retrying(CREATION_TRIES, () =>
    cloudflare.call(Rows, "POST", `/d1/database/${databaseId}/query`, { sql, params: [] }),
  );
  return result?.meta?.served_by_region?.toLowerCase();
}

/**
 * Opens a database by its name. Cloudflare takes the name in place of the id, and wrangler relies on that
 * (`getDatabaseInfoFromIdOrName` in wrangler 4.155.0, read 2026-11-26).
 */
export async function openDatabaseByName(cloudflare: Cloudflare, name: string): Promise<Query> {
  const { uuid } = await cloudflare.call(Database, "GET", `/d1/database/${encodeURIComponent(name)}`);
  return (sql, ...params) => query(cloudflare, uuid, sql, params);
}

export async function query(cloudflare: Cloudflare, databaseId: string, sql: string, params: string[] = []) {
  const [result] = await retrying(CREATION_TRIES, () =>
    cloudflare.call(Rows, "POST", `/d1/database/${databaseId}/query`, { sql, params }),
  );
  return result?.results ?? [];
}

/** All migrations, in order. */
export const listMigrations = ({ migrationsFolder }: Installation): string[] =>
  readdirSync(migrationsFolder)
    .filter((file) => file.endsWith(".sql"))
    .sort();

/** The migrations not yet applied to the database `home`, in order. `databaseId` null: the database is only planned. */
export async function missingMigrations({ cloudflare, installation }: Work, databaseId: string | null, home: number) {
  const name = databaseName(installation.database, home);
  const migrations = listMigrations(installation);
  if (databaseId === null) return migrations;
  const tables = (
    await query(
      cloudflare,
      databaseId,
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
    )
  ).map(({ name }) => name);
  if (!tables.includes("d1_migrations")) {
    if (tables.length > 0) throw createNameConflict(`The database ${name} has tables that are not Crier's.`);
    return migrations;
  }
  const applied = new Set(
    (await query(cloudflare, databaseId, "SELECT name FROM d1_migrations")).map(({ name }) => name),
  );
  if (applied.size > 0 && !migrations.some((file) => applied.has(file))) {
    throw createNameConflict(`The database ${name} has migrations that are not Crier's.`);
  }
  return migrations.filter((file) => !applied.has(file));
}
