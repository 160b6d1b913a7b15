import { expect, it } from "vitest";
import { createPasswords } from "../../../src/adapters/password.ts";

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
  expect(hash).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
  expect(strong.isOutdated(hash)).toBe(false);
  expect(await createPasswords("another pepper").verify("correct horse", hash)).toBe(false);
});
