import { createServer } from "node:http";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { createIdp, PROVIDER_TIMEOUT_MS } from "../../../src/adapters/idp.ts";
import { watchTimers } from "../../support/timers.ts";

afterEach(() => vi.restoreAllMocks());

it("a sign-in fails after a timeout if the identity provider never answers", async () => {
  let noteCall = () => {};
  const called = new Promise<void>((resolve) => {
    noteCall = resolve;
  });
  const server = createServer(noteCall);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const idp = createIdp(
    {
      name: "google",
      issuer: `http://127.0.0.1:${address.port}`,
      clientId: "crier",
      clientSecret: "secret",
      signingKey: "a key of thirty-two bytes or more",
    },
    "http://crier.test/v1/oauth/google/callback",
    true,
  );
  const timers = watchTimers();
  const started = idp.start();
  started.catch(() => {});
  await called;
  timers.ring(PROVIDER_TIMEOUT_MS);
  await expect(started).rejects.toThrow();
});
