// Requests made from our own OpenAPI document, right ones and wrong ones, against the whole worker: whatever comes in, the
// answer is one that the document names. CRIER_FUZZ_RUNS and CRIER_FUZZ_SEED make other and longer runs.
// Left out as valid requests: what ends the account or its credentials, and what hashes a password.
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { REFUSALS } from "../../src/domain/refusal.ts";
import { testEnv } from "../support/env.ts";
import {
  allowedBy,
  type DocumentedOperation,
  forbiddenBy,
  judgeOf,
  type OpenApi,
  type Schema,
} from "../support/openapi.ts";
import { type Account, type Answer, call, connect, post, signUp, uploadImage } from "../support/world.ts";

const runs = Number(testEnv.CRIER_FUZZ_RUNS);
const seed = Number(testEnv.CRIER_FUZZ_SEED);
const TIMEOUT_MS = 30_000 + runs * 100;

const { body: document } = await call<OpenApi>("GET", "/openapi.json");
const judge = judgeOf(document);

interface Operation extends DocumentedOperation {
  method: string;
  path: string;
  bodySchema: Schema | null;
}
const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path,
    [fc.toStringMethod]: () => operation.operationId,
    bodySchema: operation.requestBody?.content["application/json"].schema ?? null,
  })),
);

/** Never sent as a valid request. */
const ENDS_THE_ACCOUNT = ["accounts.erase", "accounts.sign-out", "workspaces.rotate-key"];
const HASHES_A_PASSWORD = ["accounts.sign-up", "accounts.sign-in", "accounts.reset", "accounts.forgot"];
const harmless = operations.filter(
  ({ operationId }) => ![...ENDS_THE_ACCOUNT, ...HASHES_A_PASSWORD].includes(operationId),
);
const withBody = operations.filter(({ bodySchema }) => bodySchema !== null);

let account: Account;
/** Real names by which a request finds something. */
let ids: string[];
let known: Record<string, fc.Arbitrary<unknown>>;
beforeAll(async () => {
  const stranger = await signUp();
  account = await signUp();
  const channels = [
    (await connect(account.key, "telegram")).id,
    (await connect(account.key, "bluesky")).id,
    (await connect(stranger.key, "telegram")).id,
  ];
  const media = [(await uploadImage(account)).id, (await uploadImage(stranger)).id];
  const posts: string[] = [];
  for (let i = 0; i < 5; i++) posts.push((await post(account.key, { draft: true, text: "x" })).id);
  ids = [...channels, ...media, ...posts, account.workspace, stranger.workspace];
  const some = (of: string[]) => fc.uniqueArray(fc.constantFrom(...of), { maxLength: 2 });
  const day = 86_400_000;
  known = {
    channels: some(channels),
    media: some(media),
    overrides: fc.dictionary(
      fc.constantFrom(...channels),
      fc.record({ text: fc.string(), media: some(media), silent: fc.boolean() }, { requiredKeys: [] }),
      { maxKeys: 2, noNullPrototype: true },
    ),
    publish_at: fc.integer({ min: -1, max: 400 }).map((days) => new Date(Date.now() + days * day).toISOString()),
    platform: fc.constantFrom("telegram", "bluesky", "reddit", "wordpress", "myspace", "constructor"),
    credentials: fc.constantFrom(
      { bot_token: `123456789:${"A".repeat(35)}`, chat_id: "@fuzzed" },
      { identifier: "fuzzed.bsky.social", app_password: "abcd-efgh-ijkl-mnop" },
      { identifier: "fuzzed.bsky.social", app_password: "wrong" },
    ),
    content_type: fc.constantFrom("image/png", "video/mp4", "text/html"),
    bytes: fc.constantFrom(1, 26_214_400, 26_214_401, 600_000_000),
    url: fc.constantFrom("http://127.0.0.1:1/a.png", "ftp://x", "https://", `${testEnv.SIMULATORS}/_sim/ledger`),
    timezone: fc.constantFrom("UTC", "Europe/Berlin", "Mars/X", "europe/berlin"),
    dry_run: fc.boolean(),
  };
}, 60_000);

interface Sent {
  path: Record<string, string>;
  query: Record<string, string[]>;
  headers: Record<string, string>;
  body: unknown;
}

const inAddress = fc.oneof(
  fc.string({ minLength: 1, maxLength: 30 }),
  fc.string({ minLength: 1, maxLength: 30, unit: "binary" }),
);

/** A request that the document allows: its body by the schema, its names real ones or strange ones. */
function requestOf({ parameters = [], bodySchema }: Operation): fc.Arbitrary<Sent> {
  const at = (where: string) => parameters.filter((parameter) => parameter.in === where).map(({ name }) => name);
  const record = <T>(names: string[], value: (name: string) => fc.Arbitrary<T>, requiredKeys: string[]) =>
    fc.record<Record<string, T>>(Object.fromEntries(names.map((name) => [name, value(name)])), {
      requiredKeys,
      noNullPrototype: true,
    });
  const queries: Record<string, fc.Arbitrary<string>> = {
    limit: fc.integer().map(String),
    status: fc.constantFrom("draft", "scheduled", "published", "failed"),
    ids: fc.array(fc.constantFrom(...ids), { maxLength: 60 }).map((list) => list.join(",")),
    cursor: fc.constantFrom(...ids).map((id) => btoa(id).replaceAll("=", "")),
  };
  return fc.record({
    path: record(at("path"), () => fc.oneof(fc.constantFrom(...ids), inAddress), at("path")),
    query: record(
      at("query"),
      (name) => fc.array(fc.oneof(queries[name] ?? inAddress, inAddress), { minLength: 1, maxLength: 2 }),
      [],
    ),
    headers: record(
      at("header").filter((name) => name !== "X-Workspace"),
      () => fc.string({ maxLength: 300 }),
      [],
    ),
    body: bodySchema === null ? fc.constant(undefined) : allowedBy(document, bodySchema, { plain: false, known }),
  });
}

function send(operation: Operation, sent: Partial<Sent>, credential: "key" | "session" | null) {
  // A segment of dots alone is resolved by whoever sends it and never arrives.
  const segment = (text: string) => encodeURIComponent(text).replace(/^\.{1,2}$/, "x");
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => segment(sent.path?.[name] ?? "x"));
  const query = new URLSearchParams(
    Object.entries(sent.query ?? {}).flatMap(([name, values]) => values.map((value) => [name, value])),
  );
  return call(operation.method, `${path}?${query}`, {
    body: sent.body,
    headers: { ...sent.headers, ...(credential === "session" ? { "x-workspace": account.workspace } : {}) },
    token: credential === null ? null : account[credential],
  });
}

/** Whether a pointer leads to something that was sent, or to where something is missing. */
function leadsSomewhere(pointer: string, root: unknown): boolean {
  const names = pointer
    .slice(1)
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  let at: unknown = root;
  for (const name of names.slice(0, -1)) {
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, name)) return false;
    at = Reflect.get(at, name);
  }
  return at !== null && typeof at === "object";
}

const seen = new Map<string, number>();

/** What holds for every answer to every request. */
function checkAnswer(operation: Operation, sent: Partial<Sent>, { status, headers, body }: Answer): void {
  const { operationId, responses } = operation;
  const code = typeof body?.error === "string" ? ` ${body.error}` : "";
  seen.set(`${operationId} ${status}${code}`, (seen.get(`${operationId} ${status}${code}`) ?? 0) + 1);
  const told = `${operationId} ${status} ${JSON.stringify(body)}`;
  expect(headers.get("x-request-id"), told).toMatch(/^req_/);
  const documented = responses[status];
  expect(documented, `${told}: a status that is not documented`).toBeDefined();
  const schema = documented?.content?.["application/json"].schema;
  if (schema === undefined) expect(body, told).toBeUndefined();
  else expect(judge(schema, body), `${told}: not as documented`).toBeNull();
  if (status < 400) return;
  expect(status === 500, told).toBe(false);
  const { error, message, request_id, field } = body;
  expect(error, told).toBeOneOf(Object.keys(REFUSALS));
  expect(documented?.description, `${told}: a code that is not documented`).toContain(`\`${error}\``);
  expect(message, told).toMatch(/\S/);
  expect(request_id, told).toBe(headers.get("x-request-id"));
  if (status !== 422 || typeof field !== "string" || !field.startsWith("/")) return;
  expect(leadsSomewhere(field, sent.body) || leadsSomewhere(field, sent.query ?? {}), `${told}: points nowhere`).toBe(
    true,
  );
}

const options = { numRuns: runs, seed, endOnFailure: true };
const one = (of: Operation[]) => fc.constantFrom(...of);

it(
  "a request that the document allows gets an answer that it names",
  async () => {
    const requests = one(harmless).chain((operation) => requestOf(operation).map((sent) => ({ operation, sent })));
    await fc.assert(
      fc.asyncProperty(requests, fc.constantFrom("key", "session"), async ({ operation, sent }, credential) => {
        checkAnswer(operation, sent, await send(operation, sent, credential));
      }),
      options,
    );
    if (runs > 1_000)
      console.info(
        [...seen]
          .sort()
          .map(([what, times]) => `${times} × ${what}`)
          .join("\n"),
      );
  },
  TIMEOUT_MS,
);

/** How a right body is made wrong, and what must be said about it. */
interface Wrong {
  operation: Operation;
  body: Record<string, unknown>;
  error: RegExp;
  field: RegExp;
}
const literal = (name: string) =>
  name
    .replaceAll("~", "~0")
    .replaceAll("/", "~1")
    .replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");

function wrongBodies(operation: Operation): fc.Arbitrary<Wrong> {
  const schema = operation.bodySchema ?? {};
  const { properties = {}, required = [] } = schema;
  const right = allowedBy(document, schema, {
    plain: true,
    known: { email: fc.constant("a@example.com") },
  }) as fc.Arbitrary<Record<string, unknown>>;
  const unknownField = fc
    .tuple(right, fc.string({ minLength: 1 }), fc.jsonValue())
    .filter(([, name]) => !Object.hasOwn(properties, name))
    .map(([body, name, value]) => {
      const wrong = { ...body };
      Object.defineProperty(wrong, name, { value, enumerable: true });
      return { operation, body: wrong, error: /^unknown_field$/, field: new RegExp(`^/${literal(name)}$`) };
    });
  const wrongValue = fc.constantFrom(...Object.entries(properties)).chain(([name, property]) =>
    fc.tuple(right, forbiddenBy(judge, property)).map(([body, value]) => ({
      operation,
      body: { ...body, [name]: value },
      error: /./,
      field: new RegExp(`^/${literal(name)}(/|$)`),
    })),
  );
  const missing = required.map((name) =>
    right.map((body) => {
      const { [name]: _, ...rest } = body;
      return { operation, body: rest, error: /^missing_field$/, field: new RegExp(`^/${literal(name)}$`) };
    }),
  );
  return fc.oneof(unknownField, wrongValue, ...missing);
}

it(
  "a body that the document does not allow is 422 and points at what is wrong",
  async () => {
    await fc.assert(
      fc.asyncProperty(one(withBody).chain(wrongBodies), async ({ operation, body, error, field }) => {
        const needsSession = operation.operationId.startsWith("workspaces.") && operation.path !== "/v1/workspace";
        const answer = await send(operation, { body }, needsSession ? "session" : "key");
        checkAnswer(operation, { body }, answer);
        const told = `${operation.operationId} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`;
        expect(answer.status, told).toBe(422);
        expect(answer.body.error, told).toMatch(error);
        expect(answer.body.field, told).toMatch(field);
      }),
      options,
    );
  },
  TIMEOUT_MS,
);

it(
  "without a credential nothing that needs one is done, whatever is sent",
  async () => {
    const closed = operations.filter(({ security }) => security === undefined);
    expect(closed.length).toBeGreaterThan(10);
    const requests = one(closed).chain((operation) => requestOf(operation).map((sent) => ({ operation, sent })));
    await fc.assert(
      fc.asyncProperty(requests, async ({ operation, sent }) => {
        const answer = await send(operation, sent, null);
        checkAnswer(operation, sent, answer);
        expect(answer.status).toBe(401);
      }),
      { ...options, numRuns: Math.ceil(runs / 4) },
    );
  },
  TIMEOUT_MS,
);
