// D1, R2 and Queues of the stand-in. Its databases are SQLite, and a call is one transaction, as in D1.
import { randomUUID } from "node:crypto";
import { type Context, Hono } from "hono";
import { ok, refuse } from "./answers.ts";
import type { Account, Database } from "./state.ts";
import { splitStatements } from "./statements.ts";

export function serveStorage(account: Account): Hono {
  const app = new Hono();
  const findDatabase = (idOrName: string) =>
    account.databases.find(({ uuid, name }) => uuid === idOrName || name === idOrName);

  app.get("/d1/database/:database", (c) => {
    const database = findDatabase(c.req.param("database"));
    if (database === undefined) return refuse(c, 404, 7404, "The database does not exist");
    return ok(c, { uuid: database.uuid, name: database.name, file_size: database.bytes });
  });
  app.post("/d1/database", async (c) => {
    const { name, primary_location_hint, jurisdiction } = await c.req.json();
    if (findDatabase(name)) return refuse(c, 400, 7502, `Database with name '${name}' already exists`);
    const { uuid } = account.createDatabase(name, primary_location_hint, jurisdiction);
    return ok(c, { uuid, name });
  });
  app.post("/d1/database/:database/query", async (c) => {
    const database = findDatabase(c.req.param("database"));
    if (database === undefined) return refuse(c, 404, 7404, "The database does not exist");
    const { sql, params = [] } = await c.req.json();
    try {
      const results =
        params.length === 0 ? run(database, sql) : [toResult(database.sqlite.prepare(sql).all(...params))];
      const region = database.jurisdiction === "eu" ? "weur" : (database.location ?? "enam");
      return ok(
        c,
        results.map((result) => ({ ...result, meta: { served_by_region: region.toUpperCase() } })),
      );
    } catch (error) {
      return refuse(c, 400, 7500, error instanceof Error ? error.message : String(error));
    }
  });

  app.use("/r2/*", async (c, next) => {
    if (account.hasR2) return next();
    return refuse(c, 403, 10042, "Please enable R2 through the Cloudflare Dashboard.");
  });
  /** Finds a bucket. A bucket of a jurisdiction is found only by calls that name the jurisdiction. */
  const findBucket = (c: Context) => {
    const bucket = account.buckets.get(c.req.param("bucket") ?? "");
    return bucket?.jurisdiction === c.req.header("cf-r2-jurisdiction") ? bucket : undefined;
  };
  app.get("/r2/buckets/:bucket", (c) => {
    const name = c.req.param("bucket");
    return findBucket(c) !== undefined
      ? ok(c, { name })
      : refuse(c, 404, 10006, "The specified bucket does not exist.");
  });
  app.post("/r2/buckets", async (c) => {
    const { name } = await c.req.json();
    if (account.buckets.has(name)) {
      return refuse(c, 409, 10004, "The bucket you tried to create already exists, and you own it.");
    }
    const jurisdiction = c.req.header("cf-r2-jurisdiction");
    account.buckets.set(name, jurisdiction === undefined ? { rules: [] } : { rules: [], jurisdiction });
    return ok(c, { name });
  });
  app.get("/r2/buckets/:bucket/cors", (c) => {
    const bucket = findBucket(c);
    if (bucket === undefined) return refuse(c, 404, 10006, "The specified bucket does not exist.");
    if (bucket.rules.length === 0) return refuse(c, 404, 10059, "The CORS configuration does not exist.");
    return ok(c, { rules: bucket.rules });
  });
  app.put("/r2/buckets/:bucket/cors", async (c) => {
    const bucket = findBucket(c);
    if (bucket === undefined) return refuse(c, 404, 10006, "The specified bucket does not exist.");
    bucket.rules = (await c.req.json()).rules;
    return ok(c, {});
  });

  app.get("/queues", (c) => {
    const names = c.req.queries("name") ?? [];
    return ok(
      c,
      account.queues.filter(({ queue_name }) => names.length === 0 || names.includes(queue_name)),
    );
  });
  app.post("/queues", async (c) => {
    const { queue_name, jurisdiction } = await c.req.json();
    if (account.queues.some((queue) => queue.queue_name === queue_name)) {
      return refuse(c, 409, 11009, `Queue name '${queue_name}' is already taken.`);
    }
    return ok(c, account.createQueue(queue_name, jurisdiction));
  });
  app.get("/queues/:queue/metrics", (c) => {
    const queue = account.queues.find(({ queue_id }) => queue_id === c.req.param("queue"));
    if (queue === undefined) return refuse(c, 404, 11000, "Queue does not exist.");
    const { oldestAt } = queue;
    return ok(c, {
      backlog_count: oldestAt === null ? 0 : 7,
      backlog_bytes: 0,
      oldest_message_timestamp_ms: oldestAt ?? 0,
    });
  });
  app.post("/queues/:queue/consumers", async (c) => {
    const queue = account.queues.find(({ queue_id }) => queue_id === c.req.param("queue"));
    if (queue === undefined) return refuse(c, 404, 11000, "Queue does not exist.");
    if (queue.consumers.length > 0) return refuse(c, 409, 11004, "Queue already has a consumer.");
    const { script_name, ...consumer } = await c.req.json();
    const newConsumer = { ...consumer, consumer_id: randomUUID(), script: script_name };
    queue.consumers.push(newConsumer);
    return ok(c, newConsumer);
  });
  app.put("/queues/:queue/consumers/:consumer", async (c) => {
    const queue = account.queues.find(({ queue_id }) => queue_id === c.req.param("queue"));
    const consumer = queue?.consumers.find(({ consumer_id }) => consumer_id === c.req.param("consumer"));
    if (consumer === undefined) return refuse(c, 404, 11000, "Consumer does not exist.");
    const { dead_letter_queue, settings } = await c.req.json();
    Object.assign(consumer, { dead_letter_queue, settings });
    return ok(c, consumer);
  });
  return app;
}

/** Runs all statements of a file in one transaction, and returns the rows of each. */
function run({ sqlite }: Database, sql: string): Result[] {
  sqlite.exec("BEGIN");
  try {
    const results = splitStatements(sql).map((statement) => toResult(sqlite.prepare(statement).all()));
    sqlite.exec("COMMIT");
    return results;
  } catch (error) {
    sqlite.exec("ROLLBACK");
    throw error;
  }
}

const toResult = (results: unknown[]) => ({ success: true, meta: {}, results });
type Result = ReturnType<typeof toResult>;
