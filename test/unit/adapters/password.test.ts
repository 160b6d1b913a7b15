import { createHmac, scryptSync } from "node:crypto";
import { expect, it } from "vitest";
import { createPasswords, HashingBusy } from "../../../src/adapters/password.ts";

const strong = createPasswords("pepper");
const fast = createPasswords("pepper", { fast: true });

it("a hash of the tests is outdated in production, and is verified all the same until it is replaced", async () => {
  const hash = await fast.hash("correct horse");
  expect(fast.isOutdated(hash)).toBe(false);
  expect(strong.isOutdated(hash)).toBe(true);
  expect(await strong.verify("correct horse", hash)).toBe(true);
  expect(await strong.verify("wrong horse", hash)).toBe(false);
});

it("without a setting a hash costs what production asks for", async () => {
  const hash = await strong.hash("correct horse");
  expect(hash).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$/);
  expect(strong.isOutdated(hash)).toBe(false);
  expect(await strong.verify("correct horse", hash)).toBe(true);
  expect(await strong.verify("wrong horse", hash)).toBe(false);
  expect(await createPasswords("another pepper").verify("correct horse", hash)).toBe(false);
});

it("a hash of the parameters of before is verified, and is outdated", async () => {
  const pepper = createHmac("sha256", "pepper").update("correct horse").digest();
  const [salt, hash] = [
    Buffer.alloc(16, 7),
    scryptSync(pepper, Buffer.alloc(16, 7), 32, { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 }),
  ];
  const text = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
  const stored = `$scrypt$ln=15,r=8,p=3$${text(salt)}$${text(hash)}`;
  expect(await strong.verify("correct horse", stored)).toBe(true);
  expect(strong.isOutdated(stored)).toBe(true);
});

it("computes one hash after the other, has ten wait, and does not begin another one", async () => {
  const all = await Promise.allSettled(Array.from({ length: 14 }, () => fast.hash("correct horse")));
  const refused = all.filter((one) => one.status === "rejected");
  expect(refused.map(({ reason }) => reason instanceof HashingBusy)).toEqual([true, true, true]);
  expect(all.slice(0, 11).every(({ status }) => status === "fulfilled")).toBe(true);
  // When those have been hashed there is room again.
  expect(await fast.verify("correct horse", await fast.hash("correct horse"))).toBe(true);
});
