import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { COMMON_PASSWORDS_FILE, commonPasswords, commonPasswordsSource } from "../../scripts/common-passwords.ts";
import { PASSWORD_LENGTH_MIN } from "../../src/domain/limits.ts";
import { refuseCommon } from "../../src/operations/accounts/common-password.ts";

it("the list of common passwords equals the output of `node scripts/common-passwords.ts`", () => {
  const storedSource = readFileSync(join(import.meta.dirname, "../..", COMMON_PASSWORDS_FILE), "utf8");
  expect(storedSource).toBe(commonPasswordsSource());
});

it("refuses every common password, in upper case and lower case", () => {
  const passwords = commonPasswords();
  expect(passwords.length).toBeGreaterThan(3_000);
  for (const password of passwords) {
    expect(password.length).toBeGreaterThanOrEqual(PASSWORD_LENGTH_MIN);
    expect(() => refuseCommon(password)).toThrow("too common");
    expect(() => refuseCommon(password.toUpperCase())).toThrow("too common");
  }
});

it.each(["", "        ", "correct horse battery", "password 1"])("accepts the password %j", (password) => {
  expect(() => refuseCommon(password)).not.toThrow();
});
