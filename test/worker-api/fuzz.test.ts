// Requests made from our own OpenAPI document, right ones and wrong ones, against the whole worker: whatever comes in, the
// answer is one that the document names. CRIER_FUZZ_RUNS and CRIER_FUZZ_SEED make other and longer runs.
// Left out as valid requests: what ends the account or its credentials, and what hashes a password.
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { REFUSALS } from "../../src/domain/refusal-codes.ts";
import { anyCharacter } from "../support/any-character.ts";
import { inDays } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { allowedBy } from "../support/openapi.ts";
import { type Account, type Answer, call, connect, post, signUp, uploadImage, uploadVideo } from "../support/world.ts";
import { document, judge, type Operation, operations } from "./fuzzed.ts";
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
/** Most often what writes posts: it has the most to judge. */
const weighed = harmless.flatMap((operation) =>
  /^posts\.(create|update)$/.test(operation.operationId) ? Array<Operation>(6).fill(operation) : [operation],
);
const withBody = operations.filter(({ bodySchema }) => bodySchema !== null);

let account: Account;
/** What requests find: `@post3` in a request stands for the fourth post, `@cursor:post3` for the page behind it. */
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

/** A deletion finds none of the first things of each kind, so that the others do not end as a fuzzer of 404s. */
const resolve = (text: string, spared: number) =>
  text.replaceAll(/@(cursor:)?(post|ch|med|ws|other)(\d)/g, (_, cursor, kind, index) => {
    const pool = (pools[kind] ?? []).slice(spared);
    const id = pool.at(-1 - (Number(index) % pool.length)) ?? "x";
    return cursor === undefined ? id : btoa(id).replaceAll("=", "");
  });
const nameOf = (kind: string) => fc.nat({ max: 9 }).map((index) => `@${kind}${index}`);
const some = (kind: string) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.tuple(nameOf(kind)) },
    { weight: 1, arbitrary: fc.array(fc.oneof(nameOf(kind), nameOf("other")), { maxLength: 3 }) },
  );
const known: Record<string, fc.Arbitrary<unknown>> = {
  text: fc.oneof(fc.constantFrom("hello", "x".repeat(301)), fc.string({ maxLength: 350, unit: "grapheme" })),
  channels: some("ch"),
  media: some("med"),
  overrides: fc.dictionary(
    fc.oneof(nameOf("ch"), nameOf("ch"), nameOf("other")),
    fc.record({ text: fc.string(), media: some("med"), silent: fc.boolean() }, { requiredKeys: [] }),
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

interface Sent {
  path: Record<string, string>;
  query: Record<string, string[]>;
  headers: Record<string, string>;
  body: unknown;
}

const inAddress = fc.oneof(
  fc.string({ minLength: 1, maxLength: 30 }),
  fc.string({ minLength: 1, maxLength: 30, unit: anyCharacter }),
);

/** What the `:id` of an address names. */
const KINDS: [string, string][] = [
  ["/v1/posts/", "post"],
  ["/v1/media/", "med"],
  ["/v1/channels/", "ch"],
  ["/v1/workspaces/", "ws"],
];

/** A request that the document allows: its body by the schema, its names real ones or strange ones. */
function requestOf({ parameters = [], bodySchema, path }: Operation): fc.Arbitrary<Sent> {
  const at = (where: string) => parameters.filter((parameter) => parameter.in === where).map(({ name }) => name);
  const record = <T>(names: string[], value: (name: string) => fc.Arbitrary<T>, requiredKeys: string[]) =>
    fc.record<Record<string, T>>(Object.fromEntries(names.map((name) => [name, value(name)])), {
      requiredKeys,
      noNullPrototype: true,
    });
  const kind = KINDS.find(([prefix]) => path.startsWith(prefix))?.[1] ?? "ws";
  const id = fc.oneof(
    { weight: 4, arbitrary: nameOf(kind) },
    { weight: 1, arbitrary: nameOf("other") },
    { weight: 2, arbitrary: inAddress },
  );
  const queries: Record<string, fc.Arbitrary<string>> = {
    limit: fc.integer().map(String),
    status: fc.constantFrom("draft", "scheduled", "published", "failed"),
    ids: fc.array(nameOf("med"), { maxLength: 60 }).map((list) => list.join(",")),
    cursor: nameOf(`cursor:${kind}`),
  };
  const oneOrTwo = (value: fc.Arbitrary<string>) =>
    fc.oneof({ weight: 5, arbitrary: fc.tuple(value) }, { weight: 1, arbitrary: fc.tuple(value, value) });
  return fc.record({
    path: record(at("path"), () => id, at("path")),
    query: record(
      at("query"),
      (name) => oneOrTwo(fc.oneof(queries[name] ?? inAddress, queries[name] ?? inAddress, inAddress)),
      [],
    ),
    headers: record(
      at("header").filter((name) => name !== "X-Workspace"),
      () => fc.oneof(fc.uuid(), fc.string({ maxLength: 300 })),
      [],
    ),
    body:
      bodySchema === null
        ? fc.constant(undefined)
        : later(allowedBy(document, bodySchema, { plain: false, known }), path),
  });
}

/** Nothing is published: what becomes of a post is told elsewhere, and its retries would outlive the run. */
function later(body: fc.Arbitrary<unknown>, path: string): fc.Arbitrary<unknown> {
  if (!path.startsWith("/v1/posts")) return body;
  return body.map((post) =>
    post instanceof Object && (Reflect.get(post, "publish_at") ?? null) === null
      ? { ...post, publish_at: inDays(1) }
      : post,
  );
}

/** A request with its names resolved; what it makes can be found by those after it. */
async function send(operation: Operation, named: Partial<Sent>, credential: "key" | "session" | null) {
  const sent: Partial<Sent> = JSON.parse(resolve(JSON.stringify(named), operation.method === "DELETE" ? 2 : 0));
  // A segment of dots alone is resolved by whoever sends it and never arrives.
  const segment = (text: string) => encodeURIComponent(text).replace(/^\.{1,2}$/, "x");
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => segment(sent.path?.[name] ?? "x"));
  const query = new URLSearchParams(
    Object.entries(sent.query ?? {}).flatMap(([name, values]) => values.map((value) => [name, value])),
  );
  const answer = await call(operation.method, `${path}?${query}`, {
    body: sent.body,
    headers: { ...sent.headers, ...(credential === "session" ? { "x-workspace": account.workspace } : {}) },
    token: credential === null ? null : account[credential],
  });
  const { id } = answer.body ?? {};
  if (answer.status === 201 && typeof id === "string") pools[id.split("_")[0] ?? ""]?.push(id);
  if (answer.status === 204) {
    for (const pool of Object.values(pools))
      pool.splice(0, pool.length, ...pool.filter((kept) => kept !== sent.path?.id));
  }
  checkAnswer(operation, sent, answer);
  return answer;
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
  const what = `${operationId} ${status} ${JSON.stringify(body)}`;
  expect(headers.get("x-request-id"), what).toMatch(/^req_/);
  const documented = responses[status];
  expect(documented, `${what}: a status that is not documented`).toBeDefined();
  const content = documented?.content;
  const schema = content?.["application/json"]?.schema;
  if (schema !== undefined) expect(judge(schema, body), `${what}: not as documented`).toBeNull();
  else if (content === undefined) expect(body, what).toBeUndefined();
  else expect(Object.keys(content), what).toContain(headers.get("content-type")?.split(";")[0]);
  if (status < 400) return;
  expect(status === 500, what).toBe(false);
  const { error, message, request_id, field } = body;
  expect(error, what).toBeOneOf(Object.keys(REFUSALS));
  expect(documented?.description, `${what}: a code that is not documented`).toContain(`\`${error}\``);
  expect(message, what).toMatch(/\S/);
  expect(request_id, what).toBe(headers.get("x-request-id"));
  if (status !== 422 || typeof field !== "string" || !field.startsWith("/")) return;
  // An edit is judged as the post that it makes: what is wrong may be in the part that was there before.
  const merged =
    operationId === "posts.update" && Object.hasOwn(operation.bodySchema?.properties ?? {}, field.split("/")[1] ?? "");
  const sense = merged || leadsSomewhere(field, sent.body) || leadsSomewhere(field, sent.query ?? {});
  expect(sense, `${what}: points nowhere`).toBe(true);
}

const options = { numRuns: runs, seed, endOnFailure: true };
const one = (of: Operation[]) => fc.constantFrom(...of);

it(
  "a request that the document allows gets an answer that it names",
  async () => {
    const requests = one(weighed).chain((operation) => requestOf(operation).map((sent) => ({ operation, sent })));
    await fc.assert(
      fc.asyncProperty(requests, fc.constantFrom("key", "session"), async ({ operation, sent }, credential) => {
        await send(operation, sent, credential);
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

it(
  "a body that the document does not allow is 422 and points at what is wrong",
  async () => {
    await fc.assert(
      fc.asyncProperty(one(withBody).chain(wrongBodies), async ({ operation, body, error, field }) => {
        const { security = [] } = operation;
        const needsSession = security.length > 0 && !security.some((schemes) => "workspaceKey" in schemes);
        // What is not the caller's is refused before what it is told.
        const path = { id: account.workspace };
        const answer = await send(operation, { path, body }, needsSession ? "session" : "key");
        const what = `${operation.operationId} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`;
        expect(answer.status, what).toBe(422);
        expect(answer.body.error, what).toMatch(error);
        expect(answer.body.field, what).toMatch(field);
      }),
      options,
    );
  },
  TIMEOUT_MS,
);

it(
  "without a credential nothing that needs one is done, whatever is sent",
  async () => {
    const closed = operations.filter(({ security = [] }) => security.length > 0);
    expect(closed.length).toBeGreaterThan(10);
    const requests = one(closed).chain((operation) => requestOf(operation).map((sent) => ({ operation, sent })));
    await fc.assert(
      fc.asyncProperty(requests, async ({ operation, sent }) => {
        const answer = await send(operation, sent, null);
        expect(answer.status).toBe(401);
      }),
      { ...options, numRuns: Math.ceil(runs / 4) },
    );
  },
  TIMEOUT_MS,
);
