// A certified OpenID provider on loopback. It signs in the person of the request's `login_hint` without a question. The hint
// contains the claims as base64url JSON.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

const CLIENT = { id: "crier", secret: "crier-secret-crier-secret-crier-secret" };

export async function startIdentityProvider(redirectUri: string): Promise<{ issuer: string; close(): Promise<void> }> {
  let answer: ReturnType<Provider["callback"]> | undefined;
  const server = createServer((request, response) => void answer?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    cookies: { keys: ["test"] },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    async findAccount(_ctx, id) {
      const claims = JSON.parse(Buffer.from(id, "base64url").toString());
      return { accountId: id, claims: async () => ({ ...claims, sub: id }) };
    },
  });
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith("/interaction/")) return next();
    const details = await provider.interactionDetails(ctx.req, ctx.res);
    const accountId = String(details.params.login_hint);
    if (details.params.login_hint === "nobody") {
      return provider.interactionFinished(ctx.req, ctx.res, { error: "access_denied" });
    }
    const grant = new provider.Grant({ accountId, clientId: CLIENT.id });
    grant.addOIDCScope("openid email profile");
    await provider.interactionFinished(ctx.req, ctx.res, {
      login: { accountId },
      consent: { grantId: await grant.save() },
    });
  });
  answer = provider.callback();
  return {
    issuer,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
