// Workers of the stand-in. Uploads become versions, of which one is deployed.
import { randomBytes, randomUUID } from "node:crypto";
import { type Context, Hono } from "hono";
import { ok, refuse } from "./answers.ts";
import type { Account, Binding, Version, Worker } from "./state.ts";

const NOT_THERE = "This Worker does not exist on your account.";

/** The token after the files of the dashboard have arrived. */
const UPLOADED = makeToken({ arrived: true });
/** The token with which the files are sent. */
export const UPLOADING = makeToken({ arrived: false });

/** Makes a token of which wrangler only reads the middle part. */
function makeToken(payload: object): string {
  return `e30.${Buffer.from(JSON.stringify(payload)).toString("base64url")}.none`;
}

export function serveWorkers(account: Account): Hono {
  const app = new Hono();
  const absent = (c: Context) => refuse(c, 404, 10007, NOT_THERE);

  app.get("/workers/subdomain", (c) =>
    account.subdomain === null
      ? refuse(c, 404, 10007, "You do not have a workers.dev subdomain.")
      : ok(c, { subdomain: account.subdomain }),
  );
  app.put("/workers/subdomain", async (c) => {
    const { subdomain } = await c.req.json();
    if (subdomain === "taken") return refuse(c, 409, 10031, "Subdomain is unavailable, please try a different one.");
    account.subdomain = subdomain;
    return ok(c, { subdomain });
  });

  app.get("/workers/services/:name", (c) => {
    const worker = account.workers.get(c.req.param("name"));
    if (worker === undefined) return refuse(c, 404, 10090, "workers.api.error.service_not_found");
    const script = { tag: worker.tag, tags: [], migration_tag: worker.migrationTag, last_deployed_from: "wrangler" };
    return ok(c, { default_environment: { environment: "production", script } });
  });
  app.get("/workers/workers/:name", (c) => {
    const worker = account.workers.get(c.req.param("name"));
    return worker === undefined ? absent(c) : ok(c, { id: worker.tag, subdomain: worker.subdomain });
  });

  app.put("/workers/scripts/:name", async (c) => {
    const name = c.req.param("name");
    const upload = await readUpload(c);
    const before = account.workers.get(name);
    const migrations = upload.metadata.migrations as { old_tag?: string; new_tag?: string } | undefined;
    if (migrations !== undefined && migrations.old_tag !== before?.migrationTag) {
      return refuse(c, 412, 10079, "Migration tag precondition failed");
    }
    const worker: Worker = before ?? {
      tag: randomBytes(16).toString("hex"),
      versions: [],
      deployed: "",
      crons: [],
      subdomain: { enabled: false, previews_enabled: false },
    };
    const fault = missingResource(account, upload);
    if (fault !== null) return refuse(c, 400, 10021, fault);
    if (account.plan === "free" && upload.metadata.limits !== undefined)
      return refuse(c, 400, 100328, FREE_PLAN_LIMITS);
    const version = makeVersion(upload, account.getDeployed(name));
    worker.versions.push(version);
    worker.deployed = version.id;
    worker.migrationTag = migrations?.new_tag ?? worker.migrationTag;
    account.workers.set(name, worker);
    return ok(c, { id: name, tag: worker.tag, deployment_id: version.id.replaceAll("-", ""), startup_time_ms: 1 });
  });
  app.get("/workers/scripts/:name", (c) => {
    const version = account.getDeployed(c.req.param("name"));
    return version === undefined ? absent(c) : c.body(version.modules.get(version.main) ?? "");
  });

  app.post("/workers/scripts/:name/assets-upload-session", async (c) => {
    const { manifest }: { manifest: Record<string, { hash: string }> } = await c.req.json();
    const hashes = Object.values(manifest).map(({ hash }) => hash);
    const buckets = hashes.length === 0 ? [] : [hashes];
    return ok(c, { jwt: buckets.length === 0 ? UPLOADED : UPLOADING, buckets });
  });
  app.post("/workers/assets/upload", (c) => ok(c, { jwt: UPLOADED }));

  app.post("/workers/scripts/:name/versions", async (c) => {
    const name = c.req.param("name");
    const worker = account.workers.get(name);
    if (worker === undefined) return absent(c);
    const upload = await readUpload(c);
    const fault = missingResource(account, upload);
    if (fault !== null) return refuse(c, 400, 10021, fault);
    if (account.plan === "free" && upload.metadata.limits !== undefined)
      return refuse(c, 400, 100328, FREE_PLAN_LIMITS);
    const version = makeVersion(upload, account.getDeployed(name));
    worker.versions.push(version);
    return ok(c, { id: version.id, startup_time_ms: 1, resources: { script: { etag: version.id } } });
  });
  app.get("/workers/scripts/:name/versions/:version", (c) => {
    const worker = account.workers.get(c.req.param("name"));
    const version = worker?.versions.find(({ id }) => id === c.req.param("version"));
    if (version === undefined) return absent(c);
    const resources = { bindings: shownBindings(version), script: {}, script_runtime: {} };
    return ok(c, { id: version.id, metadata: {}, resources });
  });
  app.get("/workers/scripts/:name/deployments", (c) => {
    const worker = account.workers.get(c.req.param("name"));
    if (worker === undefined) return absent(c);
    const versions = [{ version_id: worker.deployed, percentage: 100 }];
    return ok(c, { deployments: [{ id: worker.deployed, source: "wrangler", strategy: "percentage", versions }] });
  });
  app.post("/workers/scripts/:name/deployments", async (c) => {
    const worker = account.workers.get(c.req.param("name"));
    if (worker === undefined) return absent(c);
    const [{ version_id }] = (await c.req.json()).versions;
    worker.deployed = version_id;
    return ok(c, { id: randomUUID() });
  });

  app.get("/workers/scripts/:name/secrets", (c) => {
    const version = account.getDeployed(c.req.param("name"));
    if (version === undefined) return absent(c);
    return ok(
      c,
      version.bindings.flatMap(({ name, type }) => (type === "secret_text" ? [{ name, type }] : [])),
    );
  });
  app.patch("/workers/scripts/:name/secrets-bulk", async (c) => {
    const name = c.req.param("name");
    const [worker, version] = [account.workers.get(name), account.getDeployed(name)];
    if (worker === undefined || version === undefined) return absent(c);
    if (worker.versions.at(-1) !== version) return refuse(c, 400, 10215, "The latest version isn't deployed.");
    const { secrets }: { secrets: Record<string, Binding> } = await c.req.json();
    const otherBindings = version.bindings.filter((binding) => !(binding.name in secrets));
    const next = { ...version, id: randomUUID(), bindings: [...otherBindings, ...Object.values(secrets)] };
    worker.versions.push(next);
    worker.deployed = next.id;
    return ok(c, Object.keys(secrets));
  });
  app.get("/workers/scripts/:name/settings", (c) => {
    const version = account.getDeployed(c.req.param("name"));
    if (version === undefined) return absent(c);
    const { placement, compatibility_date, compatibility_flags } = version.metadata;
    return ok(c, { bindings: shownBindings(version), placement, compatibility_date, compatibility_flags, tags: [] });
  });
  app.patch("/workers/scripts/:name/script-settings", (c) => ok(c, {}));

  app.get("/workers/scripts/:name/schedules", (c) => {
    const worker = account.workers.get(c.req.param("name"));
    return worker === undefined ? absent(c) : ok(c, { schedules: worker.crons.map((cron) => ({ cron })) });
  });
  app.put("/workers/scripts/:name/schedules", async (c) => {
    const worker = account.workers.get(c.req.param("name"));
    if (worker === undefined) return absent(c);
    const crons: { cron: string }[] = await c.req.json();
    worker.crons = crons.map(({ cron }) => cron);
    return ok(c, { schedules: crons });
  });
  app.get("/workers/scripts/:name/subdomain", (c) => {
    const worker = account.workers.get(c.req.param("name"));
    return worker === undefined ? absent(c) : ok(c, worker.subdomain);
  });
  app.post("/workers/scripts/:name/subdomain", async (c) => {
    const worker = account.workers.get(c.req.param("name"));
    if (worker === undefined) return absent(c);
    worker.subdomain = await c.req.json();
    return ok(c, worker.subdomain);
  });

  app.get("/workers/domains", (c) => {
    const { service, hostname } = c.req.query();
    return ok(
      c,
      account.domains.filter((domain) => (service ? domain.service === service : domain.hostname === hostname)),
    );
  });
  app.post("/workers/scripts/:name/domains/changeset", async (c) => {
    const hosts: { hostname: string }[] = await c.req.json();
    const conflicting = hosts.filter(({ hostname }) => hostname.startsWith("recorded."));
    return ok(c, { added: [], removed: [], updated: [], conflicting });
  });
  app.put("/workers/scripts/:name/domains/records", async (c) => {
    const service = c.req.param("name");
    const { origins }: { origins: { hostname: string }[] } = await c.req.json();
    const otherDomains = account.domains.filter((domain) => domain.service !== service);
    account.domains.splice(0, Infinity, ...otherDomains, ...origins.map(({ hostname }) => ({ hostname, service })));
    return ok(c, {});
  });
  return app;
}

/** The error as quoted in github.com/cloudflare/workers-sdk/issues/8756, read 2026-11-24. */
const FREE_PLAN_LIMITS =
  "CPU limits are not supported for the Free plan. Switch to a paid plan at https://dash.cloudflare.com/?to=/:account/workers/plans to set CPU limits.";
/** Lists the bindings without the values of secrets. */
const shownBindings = ({ bindings }: Version) =>
  bindings.map(({ text, ...binding }) => (binding.type === "secret_text" ? binding : { ...binding, text }));

interface Upload {
  metadata: Record<string, unknown> & { main_module: string; bindings?: Binding[]; keep_bindings?: string[] };
  modules: Map<string, string>;
}

async function readUpload(c: Context): Promise<Upload> {
  const form = await c.req.formData();
  const modules = new Map<string, string>();
  for (const [name, formPart] of form) if (typeof formPart !== "string") modules.set(name, await formPart.text());
  return { metadata: JSON.parse(String(form.get("metadata"))), modules };
}

function makeVersion({ metadata, modules }: Upload, before: Version | undefined): Version {
  const { keep_bindings = [], main_module } = metadata;
  // Wrangler omits a binding that the settings already show unchanged.
  const bindings = (metadata.bindings ?? []).map((binding) =>
    binding.type === "inherit" ? (before?.bindings.find(({ name }) => name === binding.name) ?? binding) : binding,
  );
  const inherited = (before?.bindings ?? []).filter(
    ({ name, type }) => keep_bindings.includes(type) && !bindings.some((binding) => binding.name === name),
  );
  return { id: randomUUID(), bindings: [...bindings, ...inherited], main: main_module, modules, metadata };
}

/** Returns an error if a resource to which the upload is bound does not exist, or null. */
function missingResource(account: Account, { metadata }: Upload): string | null {
  const { jwt } = (metadata.assets ?? {}) as { jwt?: string };
  if (metadata.assets !== undefined && jwt !== UPLOADED) return "the assets were not uploaded";
  for (const { type, name, ...resource } of metadata.bindings ?? []) {
    // The wording is our own, because no page of Cloudflare's has theirs.
    if (type === "images" && !account.hasImages)
      return `binding ${name} of type images is not available to this account`;
    const exists =
      type === "d1"
        ? account.databases.some(({ uuid }) => uuid === resource.id)
        : type === "r2_bucket"
          ? account.buckets.has(String(resource.bucket_name))
          : type === "queue"
            ? account.queues.some(({ queue_name }) => queue_name === resource.queue_name)
            : true;
    if (!exists) return `binding ${name} of type ${type} must have a valid one specified [code: 10021]`;
  }
  return null;
}
