// What the worker's tests talk to, over real HTTP and SMTP: the networks, a mail server, sign-in providers.
import type { TestProject } from "vitest/node";
import { startSimulators } from "../simulators/server.ts";
import { startHostileProvider, startIdentityProvider } from "./identity-provider.ts";
import { startMailServer } from "./mail-server.ts";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const simulators = await startSimulators({ port: 0 });
  const mail = await startMailServer();
  const provider = await startIdentityProvider("http://crier.test/v1/oauth/google/callback");
  const hostile = await startHostileProvider();
  project.provide("peers", {
    SIMULATORS: simulators.url,
    SMTP_URL: mail.smtpUrl,
    MAILS: mail.readUrl,
    OIDC_ISSUER: provider.issuer,
    HOSTILE_ISSUER: hostile.issuer,
  });
  return async () => {
    await Promise.all([simulators.close(), mail.close(), provider.close(), hostile.close()]);
  };
}

export interface Peers {
  SIMULATORS: string;
  SMTP_URL: string;
  MAILS: string;
  OIDC_ISSUER: string;
  HOSTILE_ISSUER: string;
}
declare module "vitest" {
  interface ProvidedContext {
    peers: Peers;
  }
}
