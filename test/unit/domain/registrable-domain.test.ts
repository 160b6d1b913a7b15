import { expect, it } from "vitest";
import { getRegistrableDomain } from "../../../src/domain/registrable-domain.ts";

it.each([
  ["a.b.example.com", "example.com"],
  ["Example.com.", "example.com"],
  ["hooks.example.co.uk", "example.co.uk"],
  ["example.co.uk", "example.co.uk"],
  ["hooks.example.de", "example.de"],
  ["a.example.com.br", "example.com.br"],
  // This domain has two letters, but is used like a generic one.
  ["hooks.example.io", "example.io"],
  ["one.github.io", "one.github.io"],
  ["files.s3.eu-west-1.amazonaws.com", "files.s3.eu-west-1.amazonaws.com"],
  ["localhost", "localhost"],
  ["203.0.113.7", "203.0.113.7"],
  ["[2001:db8::1]", "[2001:db8::1]"],
])("the host %s belongs to the domain %s", (host, domain) => {
  expect(getRegistrableDomain(host)).toBe(domain);
});
