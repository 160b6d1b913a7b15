// A context for tests in Node: our own code over Node's SQLite, and of the outside only what a test gives it.
import { createSeal } from "../../src/adapters/seal.ts";
import type { Context } from "../../src/context.ts";
import type { NetworkIO } from "../../src/networks/network.ts";
import type { Settings } from "../../src/settings.ts";
import type { Database } from "../../src/store/db/db.ts";
import { Homes } from "../../src/store/homes.ts";

/** A seal with a key of its own. */
export const seal = createSeal(new Map([["1", new Uint8Array(32).fill(7)]]), "1");

const SETTINGS: Settings = {
  version: "test",
  baseUrl: "https://crier.test",
  provider: "sandbox",
  sandboxUrl: "https://networks.test",
  defaultPlan: "unlimited",
  accountPlan: "paid",
  signUp: "open",
  retentionMonths: null,
  apiVersions: { LINKEDIN_VERSION: null, META_VERSION: null },
  appPostsPerDay: {},
  sealKeys: new Map(),
  passwordPepper: "",
  bucket: null,
  appOf: () => ({ clientId: "test", clientSecret: "test", scopes: null }),
  allowPrivateAddresses: false,
  fastPasswordHashes: false,
  uploadPartsDivisor: 1,
  dashboardUrl: "https://crier.test",
  mail: null,
  idp: null,
  demo: null,
};

const isNotGiven = (what: string) => () => Promise.reject(new Error(`this test gives no ${what}`));

/** What a connector has of the outside; `fetch` answers all calls of its network. */
export function nodeNetworkIO(now: () => number, fetch: NetworkIO["fetch"]): NetworkIO {
  return {
    app: { clientId: "test", clientSecret: "test", scopes: null },
    fetch,
    fetchPublic: isNotGiven("public addresses"),
    partsDivisor: 1,
    now,
    wait: async () => {},
    random: (length) => new Uint8Array(length).fill(1),
    sized: () => {
      throw new Error("this test uploads nothing");
    },
  };
}

let asked = 0;
/** A single byte is 128, the middle of a jitter; more of them are a name that no call before had: an id takes five bits of each. */
function nodeEntropy(length: number): Uint8Array<ArrayBuffer> {
  if (length === 1) return Uint8Array.of(128);
  asked++;
  return Uint8Array.from({ length }, (_, i) => (Math.floor(asked / 32 ** i) % 32) * 8);
}

/** A context whose clock stands at `now`. `outside`: what a test gives it of the outside. */
export function nodeContext(db: Database, now: number, outside: Partial<Context> = {}): Context {
  const homes = new Homes([db]);
  return {
    settings: SETTINGS,
    accounts: db,
    homes,
    databaseOf: (workspaceId) => homes.databaseOf(workspaceId),
    databases: [db],
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
    limits: { take: async () => 0, clear: async () => {} },
    outcomes: { add: async () => {}, read: async () => [] },
    takeHost: async () => 0,
    networkIO: () => nodeNetworkIO(() => now, isNotGiven("networks")),
    addressOf: (_platform, url) => url,
    later: (work) => void work.catch(() => {}),
    ...outside,
  };
}
