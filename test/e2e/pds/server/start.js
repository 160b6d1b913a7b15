// Bluesky's own server on loopback, and a directory of identities that knows what this server told it. Prints both addresses.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { envToCfg, envToSecrets, PDS, readEnv } from "@atproto/pds";

const folder = mkdtempSync(join(tmpdir(), "crier-pds-"));

/** The last operation of each identity, by its DID: what plc.directory keeps. */
const operations = new Map();
const directory = createServer(async (request, response) => {
  const [, did = "", what] = decodeURIComponent(request.url ?? "").split("/");
  const answer = (status, body) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  if (request.method === "POST") {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    operations.set(did, JSON.parse(Buffer.concat(chunks).toString()));
    return answer(200, {});
  }
  const last = operations.get(did);
  if (last === undefined) return answer(404, { message: `DID not registered: ${did}` });
  if (what === "log") return answer(200, last);
  if (what === "data") return answer(200, { did, ...last });
  const service = Object.entries(last.services).map(([id, { type, endpoint }]) => ({
    id: `#${id}`,
    type,
    serviceEndpoint: endpoint,
  }));
  const verificationMethod = Object.entries(last.verificationMethods).map(([id, key]) => ({
    id: `${did}#${id}`,
    type: "Multikey",
    controller: did,
    publicKeyMultibase: key.replace("did:key:", ""),
  }));
  return answer(200, {
    "@context": ["https://www.w3.org/ns/did/v1"],
    id: did,
    alsoKnownAs: last.alsoKnownAs,
    verificationMethod,
    service,
  });
});
const listening = (server, at) =>
  new Promise((resolve) => server.listen(at, "127.0.0.1", () => resolve(server.address().port)));
const directoryPort = await listening(directory, 0);
const free = createServer();
const own = await listening(free, 0);
// The server must know its port before it listens.
free.close();
process.once("SIGTERM", () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});
const key = () => randomBytes(32).toString("hex");
Object.assign(process.env, {
  PDS_DEV_MODE: "true",
  PDS_PORT: String(own),
  PDS_HOSTNAME: "localhost",
  PDS_SERVICE_HANDLE_DOMAINS: ".test",
  PDS_DATA_DIRECTORY: folder,
  PDS_BLOBSTORE_DISK_LOCATION: join(folder, "blobs"),
  PDS_DID_PLC_URL: `http://127.0.0.1:${directoryPort}`,
  PDS_BSKY_APP_VIEW_URL: `http://127.0.0.1:${directoryPort}`,
  PDS_BSKY_APP_VIEW_DID: "did:web:appview.test",
  PDS_JWT_SECRET: key(),
  PDS_DPOP_SECRET: key(),
  PDS_ADMIN_PASSWORD: "admin",
  PDS_PLC_ROTATION_KEY_K256_PRIVATE_KEY_HEX: key(),
  PDS_INVITE_REQUIRED: "false",
  PDS_DISABLE_SSRF_PROTECTION: "true",
  LOG_ENABLED: "false",
});
// The description of an OAuth client is on loopback, although its address is public.
const { CLIENT_ID, CLIENT_DOCUMENT } = process.env;
const { fetch } = globalThis;
globalThis.fetch = (input, init) =>
  (input instanceof Request ? input.url : String(input)) === CLIENT_ID ? fetch(CLIENT_DOCUMENT) : fetch(input, init);
const env = readEnv();
const pds = await PDS.create(envToCfg(env), envToSecrets(env));
await pds.start();
console.log(JSON.stringify({ pds: `http://localhost:${own}`, directory: `http://127.0.0.1:${directoryPort}` }));
