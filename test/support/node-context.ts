// A context for tests in Node. It runs Crier's own code over Node's SQLite; a test provides the parts of the outside that it needs.
import { createSeal } from "../../src/adapters/seal.ts";
import type { Context } from "../../src/context.ts";
import type { NetworkIO } from "../../src/networks/network.ts";
import type { Settings } from "../../src/settings.ts";
import type { Database } from "../../src/store/db/db.ts";
import { Homes } from "../../src/store/homes.ts";

/** A seal with a test key. */
export const seal = createSeal(new Map([["1", new Uint8Array(32).fill(7)]]), "1");

const SETTINGS: Settings = {
  version: "test",
  baseUrl: "https://crier.test",
  provider: "sandbox",
  sandboxUrl: "https://networks.test",
  defaultPlan: "unlimited",
  accountPlan: "paid",
  signUp: "open",
  operators: [],
  retentionMonths: null,
  apiVersions: { LINKEDIN_VERSION: null, META_VERSION: null },
  appPostsPerDay: {},
  sealKeys: new Map(),
  passwordPepper: "",
  bucket: null,
  appOf: () => ({ clientId: "test", clientSecret: "test", scopes: null }),
  allowPrivateAddresses: false,
  fastPasswordHashes: false,
  uploadChunksDivisor: 1,
  dashboardUrl: "https://crier.test",
  mail: null,
  idp: null,
  demo: null,
};

const isNotGiven = (thing: string) => () => Promise.reject(new Error(`this test gives no ${thing}`));

/** Makes the outside of a connector. `fetch` answers all calls of its network. */
export function nodeNetworkIO(now: () => number, fetch: NetworkIO["fetch"]): NetworkIO {
  return {
    app: { clientId: "test", clientSecret: "test", scopes: null },
    fetch,
    fetchPublic: isNotGiven("public addresses"),
    chunksDivisor: 1,
    now,
    wait: async () => {},
    random: (length) => new Uint8Array(length).fill(1),
    sized: () => {
      throw new Error("this test uploads nothing");
    },
  };
}

let idCount = 0;
/**
 * Returns 128 for a single byte, which is the middle of a jitter. More bytes differ from those of every earlier call, because they become
 * an id; an id uses five bits of each byte.
 */
function nodeEntropy(length: number): Uint8Array<ArrayBuffer> {
  if (length === 1) return Uint8Array.of(128);
  idCount++;
  return Uint8Array.from({ length }, (_, i) => (Math.floor(idCount / 32 ** i) % 32) * 8);
}

/** Makes a context whose clock stays at `now`. The parts in `outside` replace the defaults. */
export function nodeContext(db: Database, now: number, outside: Partial<Context> = {}): Context {
  const homes = new Homes([db]);
  return {
    settings: SETTINGS,
    accounts: db,
    homes,
    databaseOf: (workspaceId) => homes.databaseOf(workspaceId),
    databases: [db],
    receipts: null,
    clientKeys: null,
    oauthClient: null,
    now: () => now,
    pause: async () => {},
    entropy: nodeEntropy,
    publishers: {
      arm: async () => {},
      followUp: async () => {},
      lookUp: async () => null,
      clear: async () => {},
    },
    webhooks: { wake: async () => {} },
    mcp: { end: async () => {}, announceChannels: async () => {} },
    queue: { send: async () => {} },
    bucket: null,
    images: null,
    seal,
    passwords: { hash: async (password) => password, verify: async () => true, isOutdated: () => false },
    outbound: {
      check: (url) => new URL(url),
      warn: () => [],
      admit: async (url) => new URL(url),
      fetch: isNotGiven("addresses of callers"),
    },
    mail: null,
    idp: null,
    address: null,
    clientAddress: null,
    userAgent: null,
    provenCredentials: { has: () => false, add() {}, delete() {} },
    clientDocuments: { get: () => null, keep() {} },
    limits: { take: async () => 0, clear: async () => {}, room: () => null },
    outcomes: { add: async () => {}, read: async () => [] },
    takeHost: async () => 0,
    networkIO: () => nodeNetworkIO(() => now, isNotGiven("networks")),
    addressOf: (_platform, url) => url,
    later: (work) => void work.catch(() => {}),
    ...outside,
  };
}
