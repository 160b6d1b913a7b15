import { describe, expect, it } from "vitest";
import { readOptions, USAGE, UsageError } from "../../../scripts/deploy/options.ts";

it("without words, everything is as wrangler.toml has it", () => {
  expect(readOptions([])).toMatchObject({ plan: false, name: undefined, settings: {} });
});

it("settings may have any value, also with a sign of equality in it", () => {
  expect(readOptions(["--set", "MAIL_FROM=a=b", "--set", "LINKEDIN_SCOPES=openid profile"]).settings).toEqual({
    MAIL_FROM: "a=b",
    LINKEDIN_SCOPES: "openid profile",
  });
});

describe("is refused", () => {
  it.each([
    [["--everything"], "--everything"],
    [["shop"], "Unknown argument: shop"],
    [["--name"], "--name"],
    [["--name", "Shop"], "small letters"],
    [["--name", "shop-maintenance"], "not ending in -maintenance"],
    [["--name", "shop-dead-letters"], "not ending in -maintenance or -dead-letters"],
    [["--name", "a".repeat(41)], "up to 40"],
    [["--name", "shop-"], "small letters"],
    [["--database-location", "mars"], "weur, eeur, apac, oc, wnam, enam"],
    [["--jurisdiction", "moon"], "one of eu, us"],
    [["--jurisdiction", "eu", "--database-location", "weur"], "omit --database-location"],
    [["--set", "JURISDICTION=eu"], "JURISDICTION is set automatically by every deploy"],
    [["--databases", "0"], "a number from 1 to 50"],
    [["--databases", "51"], "a number from 1 to 50"],
    [["--databases", "two"], "a number from 1 to 50"],
    [["--domain", "https://crier.example.com"], "is not a host name"],
    [["--media-domain", "files"], "is not a host name"],
    [["--set", "MAIL_FROM"], "--set MAIL_FROM=VALUE"],
    [["--set", "NOTHING=1"], "NOTHING is not a setting"],
    [["--set", "VERSION=1"], "VERSION is set automatically by every deploy"],
  ])("%j", (args, says) => {
    expect(() => readOptions(args)).toThrow(UsageError);
    expect(() => readOptions(args)).toThrow(says);
  });

  it.each([
    "SEAL_KEYS",
    "SEAL_KEYS_NEXT",
    "PASSWORD_PEPPER",
    "SIGNING_KEY",
    "SMTP_URL",
    "OIDC_CLIENT_SECRET",
    "X_CLIENT_SECRET",
  ])("%s among the arguments, and its value is not repeated", (name) => {
    const words = () => readOptions(["--set", `${name}=hunter2`]);
    expect(words).toThrow(
      `${name} is a secret, and other users can see arguments. Use npx wrangler secret put ${name}`,
    );
    expect(words).not.toThrow("hunter2");
  });
});

it("the usage has every flag", () => {
  for (const flag of [
    "plan",
    "name",
    "database-location",
    "jurisdiction",
    "databases",
    "domain",
    "media-domain",
    "set",
    "secrets",
    "to-do",
    "help",
  ]) {
    expect(USAGE).toContain(`--${flag}`);
  }
});
