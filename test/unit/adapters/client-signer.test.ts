// Assertions of this deployment as an OAuth client are verified by code that does not share ours: jose.
import { calculateJwkThumbprint, createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { expect, it } from "vitest";
import { createClientSigner } from "../../../src/adapters/client-signer.ts";

const NOW = Date.parse("2026-11-27T12:00:00Z");
const FIRST = new Uint8Array(32).fill(1);
const SECOND = new Uint8Array(32).fill(2);
const CLIENT = "https://crier.example.com/oauth-client-metadata.json";
const ISSUER = "https://bsky.social";
const entropy = (length: number) => crypto.getRandomValues(new Uint8Array(length));

it("signs an assertion for one server and one minute, with a listed key that has its thumbprint as id", async () => {
  const signer = createClientSigner(new Map([["a", FIRST]]), "a", entropy);
  const key = await signer.getActiveKey();
  const assertion = (await signer.assert(key, CLIENT, ISSUER, NOW)) ?? expect.fail("no assertion");
  const keys = await signer.listKeys();
  const { payload } = await jwtVerify(assertion, createLocalJWKSet({ keys }), {
    ...{ issuer: CLIENT, subject: CLIENT, audience: ISSUER, algorithms: ["ES256"] },
    ...{ maxTokenAge: 60, currentDate: new Date(NOW + 1_000) },
  });
  expect(payload.exp).toBe(NOW / 1000 + 60);
  expect(decodeProtectedHeader(assertion).kid).toBe(key);
  for (const listed of keys) expect(await calculateJwkThumbprint({ ...listed })).toBe(listed.kid);
});

it("never repeats the id of an assertion", async () => {
  const signer = createClientSigner(new Map([["a", FIRST]]), "a", entropy);
  const key = await signer.getActiveKey();
  const assertions = await Promise.all([1, 2].map(() => signer.assert(key, CLIENT, ISSUER, NOW)));
  expect(new Set(assertions).size).toBe(2);
});

it("keeps a session's key while its master key is there, and signs new sessions with the newest one", async () => {
  const before = createClientSigner(new Map([["a", FIRST]]), "a", entropy);
  const oldKey = await before.getActiveKey();
  const masters = new Map([
    ["a", FIRST],
    ["b", SECOND],
  ]);
  const rotated = createClientSigner(masters, "b", entropy);
  expect((await rotated.listKeys()).map(({ kid }) => kid)).toEqual([await rotated.getActiveKey(), oldKey]);
  expect(await rotated.assert(oldKey, CLIENT, ISSUER, NOW)).not.toBeNull();
  const after = createClientSigner(new Map([["b", SECOND]]), "b", entropy);
  expect(await after.assert(oldKey, CLIENT, ISSUER, NOW)).toBeNull();
});

it("shows no private part of a key", async () => {
  const [key] = await createClientSigner(new Map([["a", FIRST]]), "a", entropy).listKeys();
  expect(Object.keys(key ?? {}).toSorted()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
});
