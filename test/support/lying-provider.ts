// An OpenID provider on loopback that answers as its script says. The script is the request's `login_hint`, as base64url JSON.
// Without a hint it answers correctly for a person of its own.
import { createHmac, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import type { IncomingMessage } from "node:http";
import {
  type MutableRedirectUri,
  type MutableResponse,
  OAuth2Server,
  type TokenRequestIncomingMessage,
} from "oauth2-mock-server";

/** How an ID token is signed. `RS256`, `PS256`, `ES256`, `ES384` and `EdDSA` use a key of the provider for that algorithm. */
type Signature =
  | "RS256"
  | "PS256"
  | "ES256"
  | "ES384"
  | "EdDSA"
  | "none"
  /** Signed with a key that the provider does not list. */
  | "RS256 unlisted"
  | "HS256 with the public key"
  | "HS256 with the modulus"
  | "HS256 with the client secret";

export interface Script {
  /** Replaces claims of the ID token; null removes one. */
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  signature?: Signature;
  /** Replaces fields of the token answer; null removes one. */
  tokens?: Record<string, unknown>;
  tokenStatus?: number;
  /** The number of extra characters in the token answer. */
  padding?: number;
  /** Adds parameters to the redirect back; null removes one. */
  callback?: Record<string, string | null>;
}

const CLIENT_SECRET = "crier-secret-crier-secret-crier-secret";

function generateKeys() {
  const rsa = () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  return {
    RS256: rsa(),
    PS256: rsa(),
    ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
    ES384: generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey,
    EdDSA: generateKeyPairSync("ed25519").privateKey,
    "RS256 unlisted": rsa(),
  };
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

function assign(target: Record<string, unknown>, changes: Record<string, unknown> = {}): void {
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete target[name];
    else target[name] = value;
  }
}

function signToken(keys: ReturnType<typeof generateKeys>, payload: string, { signature = "RS256", header }: Script) {
  const [alg = ""] = signature.split(" ");
  const head = `${encode({ alg, kid: signature, typ: "JWT", ...header })}.${payload}`;
  const hmac = (secret: string) => createHmac("sha256", secret).update(head).digest("base64url");
  const publicKey = createPublicKey(keys.RS256);
  switch (signature) {
    case "none":
      return `${head}.`;
    case "HS256 with the public key":
      return `${head}.${hmac(publicKey.export({ type: "spki", format: "pem" }).toString())}`;
    case "HS256 with the modulus":
      return `${head}.${hmac(publicKey.export({ format: "jwk" }).n ?? "")}`;
    case "HS256 with the client secret":
      return `${head}.${hmac(CLIENT_SECRET)}`;
  }
  const digest = { ES384: "sha384", EdDSA: null };
  const bytes = sign(signature === "ES384" || signature === "EdDSA" ? digest[signature] : "sha256", Buffer.from(head), {
    key: keys[signature],
    dsaEncoding: "ieee-p1363",
    ...(signature === "PS256" && { padding: 6, saltLength: 32 }),
  });
  return `${head}.${bytes.toString("base64url")}`;
}

/** Starts the provider. `GET /userinfo-calls` returns how often its userinfo endpoint was called. */
export async function startLyingProvider(): Promise<{ issuer: string; close(): Promise<void> }> {
  const keys = generateKeys();
  const server = new OAuth2Server();
  await server.issuer.keys.add({ ...keys.RS256.export({ format: "jwk" }), alg: "RS256", kid: "RS256" });
  const listed = Object.entries(keys)
    .filter(([kid]) => kid !== "RS256 unlisted")
    .map(([kid, key]) => ({ ...createPublicKey(key).export({ format: "jwk" }), kid, alg: kid, use: "sig" }));
  const scripts = new Map<string, Script>();
  const { service } = server;

  service.on("beforeWellKnownOpenIdConfiguration", ({ body }: { body: object }) => {
    Object.assign(body, {
      jwks_uri: `${server.issuer.url}/listed-keys`,
      id_token_signing_alg_values_supported: ["RS256", "PS256", "ES256", "ES384", "EdDSA", "HS256", "none"],
    });
  });
  service.addRoute("GET", "/listed-keys", (_request, response) => void response.end(JSON.stringify({ keys: listed })));
  service.on("beforeAuthorizeRedirect", ({ url }: MutableRedirectUri, request: IncomingMessage) => {
    const hint = new URL(request.url ?? "", server.issuer.url).searchParams.get("login_hint") ?? "";
    const script: Script = hint === "" ? {} : JSON.parse(Buffer.from(hint, "base64url").toString());
    scripts.set(url.searchParams.get("code") ?? "", script);
    for (const [name, value] of Object.entries(script.callback ?? {})) {
      if (value === null) url.searchParams.delete(name);
      else url.searchParams.append(name, value);
    }
  });
  service.on("beforeResponse", (answer: MutableResponse, { body }: TokenRequestIncomingMessage) => {
    const script = scripts.get(body.code ?? "") ?? {};
    if (answer.body === "") return;
    const [, payload = ""] = String(answer.body.id_token).split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    assign(claims, script.claims);
    answer.body.id_token = signToken(keys, encode(claims), script);
    assign(answer.body, script.tokens);
    if (script.padding !== undefined) answer.body.padding = "x".repeat(script.padding);
    answer.statusCode = script.tokenStatus ?? answer.statusCode;
  });
  // The userinfo describes another person.
  let userinfoCalls = 0;
  service.on("beforeUserinfo", ({ body }: { body: object }) => {
    userinfoCalls += 1;
    Object.assign(body, { sub: "somebody else", email: "somebody.else@example.com", email_verified: true });
  });
  service.addRoute("GET", "/userinfo-calls", (_request, response) => void response.end(String(userinfoCalls)));

  await server.start(0, "127.0.0.1");
  server.issuer.url = `http://127.0.0.1:${server.address().port}`;
  return { issuer: server.issuer.url, close: () => server.stop() };
}
