import { expect, it } from "vitest";
import { createOutbound } from "../../../src/adapters/outbound.ts";
import { makeNetworkIO } from "../../../src/compose/network-io.ts";
import { readSettings } from "../../../src/settings.ts";

function makeIO(env: Parameters<typeof readSettings>[0]) {
  const called: string[] = [];
  const call = async (url: string) => {
    called.push(url);
    return new Response("{}");
  };
  const outbound = createOutbound({ allowPrivate: false, ownHosts: ["crier.example.com"] }, async () => [], call);
  return { io: makeNetworkIO("linkedin", readSettings(env), { outbound, call, client: null }), called };
}

it.each([
  "http://169.254.169.254/latest/meta-data/",
  "https://169.254.169.254/upload",
  "https://127.0.0.1/upload",
  "https://[::1]/upload",
  "https://10.0.0.1/upload",
  "https://localhost/upload",
  "https://metadata.google.internal/upload",
  "https://crier.example.com/upload",
  "https://user:password@www.linkedin.com/upload",
  "https://www.linkedin.com:8443/upload",
  "http://www.linkedin.com/upload",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "data:text/plain,a",
  "/upload",
  "",
])("an upload is not sent to %j, even if the network names this address", async (url) => {
  const { io, called } = makeIO({ BASE_URL: "https://crier.example.com" });
  await expect(io.fetch(url, { method: "PUT" })).rejects.toThrow("not public");
  expect(called).toEqual([]);
});

it("a long address on the network's own hosts is called unchanged", async () => {
  const { io, called } = makeIO({ BASE_URL: "https://crier.example.com" });
  const url = `https://www.linkedin.com/dms-uploads/${"a".repeat(5_000)}?t=${"b".repeat(5_000)}`;
  await io.fetch(url);
  expect(called).toEqual([url]);
});
