// A deployment as an OAuth client, with its description on loopback, and sign-ins in the browser at Bluesky's simulator.
import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import { expect } from "vitest";
import type { Simulators } from "../../simulators/server.ts";
import { createClientSigner } from "../../src/adapters/client-signer.ts";
import type { Json } from "../../src/domain/json.ts";
import { bluesky } from "../../src/networks/bluesky/index.ts";
import type { ConnectorContext, NetworkIO, OAuthClient } from "../../src/networks/network.ts";
import { makeIO, signIn } from "./network-io.ts";

const REDIRECT = "https://client.crier.page/callback";
const entropy = (length: number) => crypto.getRandomValues(new Uint8Array(length));
const consent = bluesky.consentByHandle ?? expect.fail("no consent");

export interface Deployment {
  client: OAuthClient;
  /** The address at which the client's description can be read. */
  document: string;
  close(): void;
}

/** A client whose description is readable. `publicId`: its public address, for servers that do not accept loopback. */
export async function startDeployment(publicId: string | null = null): Promise<Deployment> {
  const signer = createClientSigner(new Map([["key", entropy(32)]]), "key", entropy);
  const server: Server = createServer(async (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const jwks = { keys: await signer.listKeys() };
    const description = {
      client_id: id,
      application_type: "web",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      redirect_uris: [REDIRECT],
      scope: consent.permissions.join(" "),
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: "ES256",
      dpop_bound_access_tokens: true,
      jwks,
    };
    response.end(JSON.stringify(description));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const address = server.address();
  const document = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/oauth-client-metadata.json`;
  const id = publicId ?? document;
  return {
    document,
    client: {
      id,
      getActiveKey: () => signer.getActiveKey(),
      assert: (key, issuer, now) => signer.assert(key, id, issuer, now),
    },
    close: () => server.close(),
  };
}

export const makeOAuthIO = (simulators: Simulators, { client }: Deployment) => ({
  ...makeIO(simulators, "bluesky"),
  client,
});

interface Started {
  url: string;
  pending: Json;
  verifier: string;
}

/** Announces a sign-in. */
export async function startSignIn(io: NetworkIO, handle: string): Promise<Started> {
  const [verifier, state] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const started = await consent.start(handle, { redirectUri: REDIRECT, state, challenge }, io);
  if (started.is !== "started") return expect.fail(JSON.stringify(started));
  return { url: started.url, pending: started.pending, verifier };
}

/** The query of the redirect after a person has decided on the consent page. */
export async function decide(url: string, answers: Record<string, string> = { decision: "allow" }) {
  const answer = await fetch(`${url}&${new URLSearchParams(answers)}`, { redirect: "manual" });
  return new URL(answer.headers.get("location") ?? expect.fail(await answer.text())).searchParams;
}

/** Exchanges the code of a redirect. */
export const exchange = (io: NetworkIO, { pending, verifier }: Omit<Started, "url">, query: URLSearchParams) =>
  consent.exchange(
    {
      code: query.get("code") ?? "",
      redirectUri: REDIRECT,
      verifier,
      issuer: query.get("iss"),
      pending: JSON.parse(JSON.stringify(pending)),
    },
    io,
  );

/** An account that is connected by a sign-in in the browser. */
export async function signInByConsent(
  simulators: Simulators,
  deployment: Deployment,
): Promise<{ handle: string; context: ConnectorContext<Json> }> {
  const { handle } = await signIn(simulators);
  const io = makeOAuthIO(simulators, deployment);
  const started = await startSignIn(io, handle);
  const granted = await exchange(io, started, await decide(started.url));
  if (granted.is !== "granted") return expect.fail(JSON.stringify(granted));
  const [account] = granted.accounts;
  return { handle, context: { credential: account?.credential ?? null, io } };
}
