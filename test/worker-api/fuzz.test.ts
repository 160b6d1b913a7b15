// Sends valid and invalid requests, generated from our own OpenAPI document, to the whole Worker. Each answer must be
// one that the document names. CRIER_FUZZ_RUNS and CRIER_FUZZ_SEED make more and other requests. Requests that would
// end the account or its credentials, or hash a password, are left out if they are valid.
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { REFUSALS } from "../../src/domain/refusal-codes.ts";
import { anyCharacter } from "../support/any-character.ts";
import { inDays } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { allowedBy } from "../support/openapi.ts";
import { type Account, type Answer, call, connect, post, signUp, uploadImage, uploadVideo } from "../support/world.ts";
import { checkSchema, document, type Operation, operations } from "./fuzzed.ts";
import { wrongBodies } from "./wrong-bodies.ts";

const runs = Number(testEnv.CRIER_FUZZ_RUNS);
const seed = Number(testEnv.CRIER_FUZZ_SEED);
const TIMEOUT_MS = 30_000 + runs * 100;

/** Never sent as a valid request. */
const ENDS_THE_ACCOUNT = ["accounts.erase", "accounts.sign-out", "workspaces.rotate-key"];
const HASHES_A_PASSWORD = ["accounts.sign-up", "accounts.sign-in", "accounts.reset", "accounts.forgot"];
const ASKS_THE_PASSWORD = ["accounts.change-password", "accounts.change-email"];
const harmless = operations.filter(
  ({ operationId }) => ![...ENDS_THE_ACCOUNT, ...HASHES_A_PASSWORD, ...ASKS_THE_PASSWORD].includes(operationId),
);
/** Operations that write posts are the most frequent, because they have the most checks. */
const weighted = harmless.flatMap((operation) =>
  /^posts\.(create|update)$/.test(operation.operationId) ? Array<Operation>(6).fill(operation) : [operation],
);
const withBody = operations.filter(({ bodySchema }) => bodySchema !== null);

let account: Account;
/**
 * Ids for requests: `@post3` in a request is replaced by the fourth newest post, and `@cursor:post3` by the cursor of
 * the page after it.
 */
const pools: Record<string, string[]> = {};
beforeAll(async () => {
  const stranger = await signUp();
  account = await signUp();
  const drafted = { draft: true, text: "x" };
  pools.ch = [(await connect(account.key, "telegram")).id, (await connect(account.key, "bluesky")).id];
  pools.med = [(await uploadImage(account)).id, (await uploadVideo(account, 1_000)).id];
  pools.post = [(await post(account.key, drafted)).id, (await post(account.key, drafted)).id];
  pools.ws = [account.workspace];
  pools.other = [
    (await connect(stranger.key, "telegram")).id,
    (await uploadImage(stranger)).id,
    (await post(stranger.key, drafted)).id,
    stranger.workspace,
  ];
}, 60_000);

/**
 * Resolves the names in a request. A deletion spares the first things of each kind, so that later requests still find
 * some.
 */
const resolve = (text: string, spared: number) =>
  text.replaceAll(/@(cursor:)?(post|ch|med|ws|other)(\d)/g, (_, cursor, kind, index) => {
    const pool = (pools[kind] ?? []).slice(spared);
    const id = pool.at(-1 - (Number(index) % pool.length)) ?? "x";
    return cursor === undefined ? id : btoa(id).replaceAll("=", "");
  });
const chooseName = (kind: string) => fc.nat({ max: 9 }).map((index) => `@${kind}${index}`);
const chooseNames = (kind: string) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.tuple(chooseName(kind)) },
    { weight: 1, arbitrary: fc.array(fc.oneof(chooseName(kind), chooseName("other")), { maxLength: 3 }) },
  );
const knownFields: Record<string, fc.Arbitrary<unknown>> = {
  text: fc.oneof(fc.constantFrom("hello", "x".repeat(301)), fc.string({ maxLength: 350, unit: "grapheme" })),
  channels: chooseNames("ch"),
  media: chooseNames("med"),
  overrides: fc.dictionary(
    fc.oneof(chooseName("ch"), chooseName("ch"), chooseName("other")),
    fc.record({ text: fc.string(), media: chooseNames("med"), silent: fc.boolean() }, { requiredKeys: [] }),
    { maxKeys: 1, noNullPrototype: true },
  ),
  publish_at: fc.constantFrom("2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "soon", inDays(1), inDays(300)),
  post_type: fc.constantFrom("feed", "feed", "story"),
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
};

interface SentRequest {
  path: Record<string, string>;
  query: Record<string, string[]>;
  headers: Record<string, string>;
  body: unknown;
}

const inAddress = fc.oneof(
  fc.string({ minLength: 1, maxLength: 30 }),
  fc.string({ minLength: 1, maxLength: 30, unit: anyCharacter }),
);

/** The kind of id that an address takes. */
const KINDS: [string, string][] = [
  ["/v1/posts/", "post"],
  ["/v1/media/", "med"],
  ["/v1/channels/", "ch"],
  ["/v1/workspaces/", "ws"],
];

/** Generates a request that the document allows: its body fits the schema, and its ids are real or random. */
function generateRequest({ parameters = [], bodySchema, path }: Operation): fc.Arbitrary<SentRequest> {
  const namesIn = (where: string) => parameters.filter((parameter) => parameter.in === where).map(({ name }) => name);
  const record = <T>(names: string[], value: (name: string) => fc.Arbitrary<T>, requiredKeys: string[]) =>
    fc.record<Record<string, T>>(Object.fromEntries(names.map((name) => [name, value(name)])), {
      requiredKeys,
      noNullPrototype: true,
    });
  const kind = KINDS.find(([prefix]) => path.startsWith(prefix))?.[1] ?? "ws";
  const id = fc.oneof(
    { weight: 4, arbitrary: chooseName(kind) },
    { weight: 1, arbitrary: chooseName("other") },
    { weight: 2, arbitrary: inAddress },
  );
  const queries: Record<string, fc.Arbitrary<string>> = {
    limit: fc.integer().map(String),
    status: fc.constantFrom("draft", "scheduled", "published", "failed"),
    ids: fc.array(chooseName("med"), { maxLength: 60 }).map((list) => list.join(",")),
    cursor: chooseName(`cursor:${kind}`),
  };
  const oneOrTwo = (value: fc.Arbitrary<string>) =>
    fc.oneof({ weight: 5, arbitrary: fc.tuple(value) }, { weight: 1, arbitrary: fc.tuple(value, value) });
  return fc.record({
    path: record(namesIn("path"), () => id, namesIn("path")),
    query: record(
      namesIn("query"),
      (name) => oneOrTwo(fc.oneof(queries[name] ?? inAddress, queries[name] ?? inAddress, inAddress)),
      [],
    ),
    headers: record(
      namesIn("header").filter((name) => name !== "X-Workspace"),
      () => fc.oneof(fc.uuid(), fc.string({ maxLength: 300 })),
      [],
    ),
    body:
      bodySchema === null
        ? fc.constant(undefined)
        : schedule(allowedBy(document, bodySchema, { plain: false, known: knownFields }), path),
  });
}

/** Schedules posts, so that none is published: other tests cover publishing, and its retries would outlive the run. */
function schedule(body: fc.Arbitrary<unknown>, path: string): fc.Arbitrary<unknown> {
  if (!path.startsWith("/v1/posts")) return body;
  return body.map((post) =>
    post instanceof Object && (Reflect.get(post, "publish_at") ?? null) === null
      ? { ...post, publish_at: inDays(1) }
      : post,
  );
}

/** Sends a request with its names resolved. Later requests can use the things that it creates. */
async function send(operation: Operation, request: Partial<SentRequest>, credential: "key" | "session" | null) {
  const resolved: Partial<SentRequest> = JSON.parse(
    resolve(JSON.stringify(request), operation.method === "DELETE" ? 2 : 0),
  );
  // A client resolves a segment of dots, so it would never arrive.
  const segment = (text: string) => encodeURIComponent(text).replace(/^\.{1,2}$/, "x");
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => segment(resolved.path?.[name] ?? "x"));
  const query = new URLSearchParams(
    Object.entries(resolved.query ?? {}).flatMap(([name, values]) => values.map((value) => [name, value])),
  );
  const answer = await call(operation.method, `${path}?${query}`, {
    body: resolved.body,
    headers: { ...resolved.headers, ...(credential === "session" ? { "x-workspace": account.workspace } : {}) },
    token: credential === null ? null : account[credential],
  });
  const { id } = answer.body ?? {};
  if (answer.status === 201 && typeof id === "string") pools[id.split("_")[0] ?? ""]?.push(id);
  if (answer.status === 204) {
    for (const pool of Object.values(pools))
      pool.splice(0, pool.length, ...pool.filter((pooledId) => pooledId !== resolved.path?.id));
  }
  checkAnswer(operation, resolved, answer);
  return answer;
}

/** Tells whether a pointer leads to a value that was sent, or to a missing member of such a value. */
function leadsSomewhere(pointer: string, root: unknown): boolean {
  const names = pointer
    .slice(1)
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  let node: unknown = root;
  for (const name of names.slice(0, -1)) {
    if (node === null || typeof node !== "object" || !Object.hasOwn(node, name)) return false;
    node = Reflect.get(node, name);
  }
  return node !== null && typeof node === "object";
}

const answerCounts = new Map<string, number>();

/** Checks the rules that hold for each answer to each request. */
function checkAnswer(operation: Operation, request: Partial<SentRequest>, { status, headers, body }: Answer): void {
  const { operationId, responses } = operation;
  const code = typeof body?.error === "string" ? ` ${body.error}` : "";
  answerCounts.set(`${operationId} ${status}${code}`, (answerCounts.get(`${operationId} ${status}${code}`) ?? 0) + 1);
  const summary = `${operationId} ${status} ${JSON.stringify(body)}`;
  expect(headers.get("x-request-id"), summary).toMatch(/^req_/);
  const documented = responses[status];
  expect(documented, `${summary}: a status that is not documented`).toBeDefined();
  const content = documented?.content;
  const schema = content?.["application/json"]?.schema;
  if (schema !== undefined) expect(checkSchema(schema, body), `${summary}: not as documented`).toBeNull();
  else if (content === undefined) expect(body, summary).toBeUndefined();
  else expect(Object.keys(content), summary).toContain(headers.get("content-type")?.split(";")[0]);
  if (status < 400) return;
  expect(status === 500, summary).toBe(false);
  const { error, message, request_id, field } = body;
  expect(error, summary).toBeOneOf(Object.keys(REFUSALS));
  expect(documented?.description, `${summary}: a code that is not documented`).toContain(`\`${error}\``);
  expect(message, summary).toMatch(/\S/);
  expect(request_id, summary).toBe(headers.get("x-request-id"));
  if (status !== 422 || typeof field !== "string" || !field.startsWith("/")) return;
  // An edit is checked as the post that it results in, so the error may be in a field that was not sent.
  const merged =
    operationId === "posts.update" && Object.hasOwn(operation.bodySchema?.properties ?? {}, field.split("/")[1] ?? "");
  const sense = merged || leadsSomewhere(field, request.body) || leadsSomewhere(field, request.query ?? {});
  expect(sense, `${summary}: points nowhere`).toBe(true);
}

const options = { numRuns: runs, seed, endOnFailure: true };
const chooseOperation = (candidates: Operation[]) => fc.constantFrom(...candidates);

it(
  "a request that the document allows gets an answer that the document names",
  async () => {
    const requests = chooseOperation(weighted).chain((operation) =>
      generateRequest(operation).map((request) => ({ operation, request })),
    );
    await fc.assert(
      fc.asyncProperty(requests, fc.constantFrom("key", "session"), async ({ operation, request }, credential) => {
        await send(operation, request, credential);
      }),
      options,
    );
    if (runs > 1_000)
      console.info(
        [...answerCounts]
          .sort()
          .map(([answer, times]) => `${times} × ${answer}`)
          .join("\n"),
      );
  },
  TIMEOUT_MS,
);

it(
  "a body that the document does not allow is answered with 422 and points at the error",
  async () => {
    await fc.assert(
      fc.asyncProperty(chooseOperation(withBody).chain(wrongBodies), async ({ operation, body, error, field }) => {
        const { security = [] } = operation;
        const needsSession = security.length > 0 && !security.some((schemes) => "workspaceKey" in schemes);
        // A workspace of another caller would be refused before the body is checked.
        const path = { id: account.workspace };
        const answer = await send(operation, { path, body }, needsSession ? "session" : "key");
        const summary = `${operation.operationId} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`;
        expect(answer.status, summary).toBe(422);
        expect(answer.body.error, summary).toMatch(error);
        expect(answer.body.field, summary).toMatch(field);
      }),
      options,
    );
  },
  TIMEOUT_MS,
);

it(
  "an operation that requires a credential answers 401 without one, whatever is sent",
  async () => {
    const closed = operations.filter(({ security = [] }) => security.length > 0);
    expect(closed.length).toBeGreaterThan(10);
    const requests = chooseOperation(closed).chain((operation) =>
      generateRequest(operation).map((request) => ({ operation, request })),
    );
    await fc.assert(
      fc.asyncProperty(requests, async ({ operation, request }) => {
        const answer = await send(operation, request, null);
        expect(answer.status).toBe(401);
      }),
      { ...options, numRuns: Math.ceil(runs / 4) },
    );
  },
  TIMEOUT_MS,
);
