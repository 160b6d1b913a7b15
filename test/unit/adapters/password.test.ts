import { createHmac, scryptSync } from "node:crypto";
import { expect, it } from "vitest";
import { createPasswords, HashingBusy } from "../../../src/adapters/password.ts";

const strong = createPasswords("pepper");
const fast = createPasswords("pepper", { fast: true });

it("a fast hash is outdated in production, but is still verified until it is replaced", async () => {
  const hash = await fast.hash("correct horse");
  expect(fast.isOutdated(hash)).toBe(false);
  expect(strong.isOutdated(hash)).toBe(true);
  expect(await strong.verify("correct horse", hash)).toBe(true);
  expect(await strong.verify("wrong horse", hash)).toBe(false);
});

it("a hash has the parameters of production by default", async () => {
  const hash = await strong.hash("correct horse");
  expect(hash).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$/);
  expect(strong.isOutdated(hash)).toBe(false);
  expect(await strong.verify("correct horse", hash)).toBe(true);
  expect(await strong.verify("wrong horse", hash)).toBe(false);
  expect(await createPasswords("another pepper").verify("correct horse", hash)).toBe(false);
});

it("a hash with the previous parameters is verified, and is outdated", async () => {
  const pepper = createHmac("sha256", "pepper").update("correct horse").digest();
  const [salt, hash] = [
    Buffer.alloc(16, 7),
    scryptSync(pepper, Buffer.alloc(16, 7), 32, { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 }),
  ];
  const toUnpaddedBase64 = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
  const stored = `$scrypt$ln=15,r=8,p=3$${toUnpaddedBase64(salt)}$${toUnpaddedBase64(hash)}`;
  expect(await strong.verify("correct horse", stored)).toBe(true);
  expect(strong.isOutdated(stored)).toBe(true);
});

it("computes one hash at a time, queues ten more, and refuses further ones", async () => {
  const results = await Promise.allSettled(Array.from({ length: 14 }, () => fast.hash("correct horse")));
  const refused = results.filter((result) => result.status === "rejected");
  expect(refused.map(({ reason }) => reason instanceof HashingBusy)).toEqual([true, true, true]);
  expect(results.slice(0, 11).every(({ status }) => status === "fulfilled")).toBe(true);
  // There is room again once the queued passwords have been hashed.
  expect(await fast.verify("correct horse", await fast.hash("correct horse"))).toBe(true);
});
