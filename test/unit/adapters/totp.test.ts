// Time-based one-time passwords, compared with the test vectors of RFC 6238, appendix B.
import { expect, it } from "vitest";
import {
  buildTotpUrl,
  computeTotpCode,
  findTotpStep,
  getTotpStep,
  makeTotpSecret,
} from "../../../src/adapters/totp.ts";
import { base32, fromBase32 } from "../../../src/domain/encoding.ts";

const SECRET = base32(new TextEncoder().encode("12345678901234567890"));

it.each([
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
])("computes the code of RFC 6238 for second %i", async (seconds, code) => {
  expect(await computeTotpCode(SECRET, getTotpStep(seconds * 1000), 8)).toBe(code);
  expect(await computeTotpCode(SECRET, getTotpStep(seconds * 1000))).toBe(code.slice(2));
});

it("accepts the codes of the previous, the current and the next step only", async () => {
  const now = 1_700_000_000_000;
  const step = getTotpStep(now);
  const findDrifted = async (drift: number) => findTotpStep(SECRET, await computeTotpCode(SECRET, step + drift), now);
  expect(await Promise.all([-1, 0, 1].map(findDrifted))).toEqual([step - 1, step, step + 1]);
  expect(await Promise.all([-2, 2, -100, 100].map(findDrifted))).toEqual([null, null, null, null]);
});

it.each(["", "12345", "1234567", "abcdef", "١٢٣٤٥٦"])("finds no step for the code %j", async (code) => {
  expect(await findTotpStep(SECRET, code, 1_700_000_000_000)).toBeNull();
});

it("makes secrets of 160 bits in base32, which an authenticator app reads from an otpauth address", () => {
  const secret = makeTotpSecret((length) => crypto.getRandomValues(new Uint8Array(length)));
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  const url = new URL(buildTotpUrl(secret, { issuer: "Crier (crier.example)", account: "ada+x@example.com" }));
  expect([url.protocol, url.host]).toEqual(["otpauth:", "totp"]);
  expect(decodeURIComponent(url.pathname)).toBe("/Crier (crier.example):ada+x@example.com");
  expect(Object.fromEntries(url.searchParams)).toEqual({ secret, issuer: "Crier (crier.example)" });
});

it.each([
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
])("writes %j in base32 as RFC 4648 does, and reads it back", (text, encoded) => {
  expect(base32(new TextEncoder().encode(text))).toBe(encoded);
  expect(new TextDecoder().decode(fromBase32(encoded))).toBe(text);
});

it("throws if a text is not base32", () => {
  expect(() => fromBase32("MZXW0")).toThrow("not base32");
});
