// Describes one installation: its template (wrangler.toml), the names of its resources, and its configuration for wrangler.
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parse } from "smol-toml";
import * as z from "zod";
import { DeployFailure } from "./failure.ts";
import { findRegion, type Place, toPlaceSettings } from "./place.ts";

export const ROOT = join(import.meta.dirname, "../..");

/** The parts of wrangler.toml that differ between installations. */
const Template = z.looseObject({
  name: z.string(),
  main: z.string(),
  placement: z.looseObject({ mode: z.string() }),
  compatibility_flags: z.array(z.string()),
  vars: z.record(z.string(), z.string()),
  d1_databases: z.tuple([
    z.looseObject({ database_name: z.string(), database_id: z.string().optional(), migrations_dir: z.string() }),
  ]),
  images: z.looseObject({ binding: z.literal("IMAGES") }),
  r2_buckets: z.tuple([z.looseObject({ bucket_name: z.string() })]),
  queues: z.object({
    producers: z.array(z.looseObject({ queue: z.string(), binding: z.string() })),
    consumers: z.array(z.looseObject({ queue: z.string(), dead_letter_queue: z.string().optional() })),
  }),
  build: z.looseObject({ watch_dir: z.string() }),
  assets: z.looseObject({ directory: z.string() }),
  triggers: z.object({ crons: z.array(z.string()) }),
  alias: z.record(z.string(), z.string()),
  limits: z.record(z.string(), z.number()).optional(),
});
type Template = z.infer<typeof Template>;

export interface Installation {
  template: Template;
  /** The Worker's name. */
  name: string;
  database: string;
  /** null: the database is found by name. Cloudflare's own builds write the id into their copy of wrangler.toml. */
  databaseId: string | null;
  bucket: string;
  /** Maps the queue names in wrangler.toml to this installation's names. */
  queues: ReadonlyMap<string, string>;
  /** The name of this installation's dead letter queue. */
  deadLetterQueue: string;
  migrationsFolder: string;
}

/** `name`: the prefix for the Worker and its resources, instead of the names in wrangler.toml. */
export function readInstallation(name: string | undefined, env: NodeJS.ProcessEnv): Installation {
  const template = Template.parse(parse(readFileSync(join(ROOT, "wrangler.toml"), "utf8")));
  const [database] = template.d1_databases;
  const [bucket] = template.r2_buckets;
  const deadLetters = findDeadLetterQueue(template);
  const queues = [
    ...template.queues.producers.map(({ queue, binding }) => [queue, QUEUE_SUFFIXES[binding] ?? ""] as const),
    [deadLetters, "-dead-letters"] as const,
  ].map(([queue, suffix]) => [queue, name === undefined ? queue : name + suffix] as const);
  return {
    template,
    // Cloudflare's own builds use this Worker name, regardless of the name in the file.
    name: name ?? env.WRANGLER_CI_OVERRIDE_NAME ?? template.name,
    database: name ?? database.database_name,
    databaseId: name === undefined ? (database.database_id ?? null) : null,
    bucket: name === undefined ? bucket.bucket_name : `${name}-media`,
    queues: new Map(queues),
    deadLetterQueue: new Map(queues).get(deadLetters) ?? deadLetters,
    migrationsFolder: join(ROOT, database.migrations_dir),
  };
}

/** The suffixes of queue names in a named installation, by producer binding. */
const QUEUE_SUFFIXES: Record<string, string> = { QUEUE: "", MAINTENANCE: "-maintenance" };

/** Finds the dead letter queue. Throws if any other queue has no consumer that sends its dead letters there. */
function findDeadLetterQueue({ queues: { producers, consumers } }: Template): string {
  const last = consumers.find(({ dead_letter_queue }) => dead_letter_queue === undefined)?.queue;
  for (const { queue } of producers) {
    const reader = consumers.find((consumer) => consumer.queue === queue);
    if (reader !== undefined && reader.dead_letter_queue === last) continue;
    const lack =
      reader === undefined ? `no consumer of the queue ${queue}` : `no consumer of the dead-letter queue of ${queue}`;
    throw new DeployFailure(`wrangler.toml has ${lack}.`, "Use the same queue name there as in its producer.");
  }
  if (last === undefined)
    throw new DeployFailure("wrangler.toml has no dead-letter queue.", "Copy it from Crier's wrangler.toml.");
  return last;
}

/** The name of an installation's database `home`. The underscore prevents a clash with the name of another installation. */
export const databaseName = (database: string, home: number): string => (home === 0 ? database : `${database}_${home}`);

/** The database's binding in the Worker. */
export const getBindingName = (home: number): string => (home === 0 ? "DB" : `DB_${home}`);

export interface Deployable {
  /** By database number. */
  databaseIds: string[];
  /** All settings except those that a deploy sets itself. */
  vars: Record<string, string>;
  /** The Worker's hosts other than workers.dev. */
  domains: string[];
  workersDev: boolean;
  /** Whether there is a bucket. */
  hasMedia: boolean;
  /** Whether the Worker has the Images binding. */
  hasImages: boolean;
  place: Place;
}

/** The configuration of an installation for wrangler, with absolute paths, and the version that results from it. */
export function buildConfiguration(installation: Installation, deployable: Deployable) {
  const { databaseIds, vars, domains, workersDev, hasMedia, hasImages, place } = deployable;
  const { template, name, database, bucket, queues } = installation;
  const renamed = (queue: string) => queues.get(queue) ?? queue;
  const region = findRegion(place);
  const configuration = {
    ...template,
    name,
    main: resolve(ROOT, template.main),
    build: { ...template.build, cwd: ROOT, watch_dir: resolve(ROOT, template.build.watch_dir) },
    assets: { ...template.assets, directory: resolve(ROOT, template.assets.directory) },
    workers_dev: workersDev,
    preview_urls: false,
    // Keeps settings made in the dashboard.
    keep_vars: true,
    // If this is omitted, wrangler leaves the Worker's domains unchanged; otherwise it removes unlisted domains.
    routes: domains.length === 0 ? undefined : domains.map((pattern) => ({ pattern, custom_domain: true })),
    d1_databases: databaseIds.map((databaseId, home) => ({
      ...template.d1_databases[0],
      binding: getBindingName(home),
      database_name: databaseName(database, home),
      database_id: databaseId,
      migrations_dir: installation.migrationsFolder,
    })),
    // Workers Free refuses to upload a Worker that sets limits (code 100328, workers-sdk issue 8756, read
    // 2026-11-24).
    limits: vars.ACCOUNT_PLAN === "free" ? undefined : template.limits,
    placement: region === null ? template.placement : { region },
    images: hasImages ? template.images : undefined,
    r2_buckets: hasMedia
      ? template.r2_buckets.map((bound) => ({
          ...bound,
          bucket_name: bucket,
          jurisdiction: place.jurisdiction ?? undefined,
        }))
      : [],
    queues: {
      producers: template.queues.producers.map((producer) => ({ ...producer, queue: renamed(producer.queue) })),
      consumers: template.queues.consumers.map((consumer) => ({
        ...consumer,
        queue: renamed(consumer.queue),
        ...(consumer.dead_letter_queue === undefined ? {} : { dead_letter_queue: renamed(consumer.dead_letter_queue) }),
      })),
    },
    alias: Object.fromEntries(Object.entries(template.alias).map(([from, to]) => [from, resolve(ROOT, to)])),
    vars,
  };
  const { vars: _vars, routes: _routes, workers_dev: _workersDev, ...lasting } = configuration;
  const settings = { ...vars, DEAD_LETTER_QUEUE: installation.deadLetterQueue, ...toPlaceSettings(place) };
  const version = `${computeVersion(lasting)}.${hashSettings(settings)}`;
  return { version, configuration: { ...configuration, vars: { ...settings, VERSION: version } } };
}

export type Configuration = ReturnType<typeof buildConfiguration>["configuration"];

/**
 * The second half of a version's build metadata. `GET /healthz` returns the version, so a deploy that changes only a setting
 * can wait for the Worker with the new setting.
 */
function hashSettings(settings: Record<string, string>): string {
  const sorted = Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex").slice(0, 6);
}

/** A version without the part that comes from its settings. */
export const getCodeVersion = (version: string): string => version.replace(/(\+[0-9a-f]+)\.[0-9a-f]+$/, "$1");

/**
 * The version is the same for the same code, dependencies and configuration on any machine, so it shows whether an upload
 * would change anything.
 */
function computeVersion(configuration: object): string {
  const hash = createHash("sha256").update(JSON.stringify(configuration).replaceAll(ROOT, ""));
  const files = [
    "src/**/*",
    "scripts/{empty-module,build-dashboard,dashboard/*}.ts",
    "package-lock.json",
    "tsconfig.json",
  ];
  for (const file of globSync(files, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()) {
    hash.update(`\n${file.slice(ROOT.length)}\n`).update(readFileSync(file));
  }
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  return `${version}+${hash.digest("hex").slice(0, 12)}`;
}

/** Writes a configuration file to use instead of wrangler.toml, and returns its path. It contains ids but no secrets. */
export async function writeConfiguration(configuration: Configuration): Promise<string> {
  const folder = join(ROOT, ".wrangler/installations");
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${configuration.name}.json`);
  await writeFile(file, `${JSON.stringify(configuration, null, 2)}\n`);
  return file;
}
