import { describe, expect, it } from "vitest";
import { readOptions, USAGE, UsageError } from "../../../scripts/deploy/options.ts";

it("a deploy without options uses the values of wrangler.toml", () => {
  expect(readOptions([])).toMatchObject({ plan: false, name: undefined, settings: {} });
});

it("the value of a setting may contain an equals sign", () => {
  expect(readOptions(["--set", "MAIL_FROM=a=b", "--set", "LINKEDIN_SCOPES=openid profile"]).settings).toEqual({
    MAIL_FROM: "a=b",
    LINKEDIN_SCOPES: "openid profile",
  });
});

describe("refused options", () => {
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
  ])("a deploy refuses the options %j", (args, message) => {
    expect(() => readOptions(args)).toThrow(UsageError);
    expect(() => readOptions(args)).toThrow(message);
  });

  it.each([
    "SEAL_KEYS",
    "SEAL_KEYS_NEXT",
    "PASSWORD_PEPPER",
    "SIGNING_KEY",
    "SMTP_URL",
    "OIDC_CLIENT_SECRET",
    "X_CLIENT_SECRET",
  ])("a deploy refuses the secret %s as an option, without printing its value", (name) => {
    const words = () => readOptions(["--set", `${name}=hunter2`]);
    expect(words).toThrow(
      `${name} is a secret, and other users can see arguments. Use npx wrangler secret put ${name}`,
    );
    expect(words).not.toThrow("hunter2");
  });
});

it("the usage lists every flag", () => {
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
