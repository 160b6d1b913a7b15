import { describe, expect, it } from "vitest";
import { isRedirectUri, isRegistered, isResource } from "../../../src/domain/oauth.ts";

describe("a redirect address", () => {
  it.each([
    "https://a.example/cb",
    "https://a.example:8443/cb?x=1",
    "http://localhost/cb",
    "http://127.0.0.1:1/cb",
    "http://[::1]:1/cb",
  ])("a redirect address may be %s", (uri) => expect(isRedirectUri(uri)).toBe(true));

  it.each([
    "http://a.example/cb",
    "http://localhost.evil.example/cb",
    "http://127.0.0.1.evil.example/cb",
    "http://10.0.0.1/cb",
    "https://a.example/cb#x",
    "https://a.example/cb#",
    "https://user@a.example/cb",
    "https://a.example\\@evil.example",
    " https://a.example/cb",
    "https://a.example/c b",
    "app.example://cb",
    "javascript:alert(1)",
    "data:text/html,x",
    "/cb",
    "",
  ])("a redirect address must not be %j", (uri) => expect(isRedirectUri(uri)).toBe(false));

  it.each([
    ["https://a.example/cb", "https://a.example/cb", true],
    ["https://a.example/cb", "https://A.example/cb", false],
    ["https://a.example/cb", "https://a.example/cb/", false],
    ["https://a.example/cb", "https://a.example/cb?x", false],
    ["https://a.example/cb", "https://a.example:1/cb", false],
    ["http://127.0.0.1/cb", "http://127.0.0.1:5/cb", true],
    ["http://127.0.0.1:4/cb", "http://127.0.0.1/cb", true],
    ["http://[::1]:4/cb", "http://[::1]:5/cb", true],
    ["http://localhost:4/cb?x", "http://localhost:5/cb?x", true],
    ["http://localhost:4/cb", "http://127.0.0.1:4/cb", false],
    ["http://localhost:4/cb", "http://localhost:5/other", false],
    ["http://localhost:4/cb", "https://localhost:4/cb", false],
    ["https://localhost:4/cb", "https://localhost:5/cb", false],
    ["app.example://cb", "app.example://cb", false],
  ])("whether the redirect address %s allows the request for %s: %j", (registered, requested, expected) =>
    expect(isRegistered(requested, [registered])).toBe(expected),
  );
});

it.each([
  ["https://crier.example/mcp", true],
  ["https://crier.example/mcp/", true],
  ["HTTPS://Crier.example:443/mcp", true],
  ["https://crier.example", false],
  ["https://crier.example/mcp?x", false],
  ["https://crier.example/mcp2", false],
  ["http://crier.example/mcp", false],
  ["https://evil.example/mcp", false],
  ["mcp", false],
])("whether %s is the resource of https://crier.example: %j", (value, expected) =>
  expect(isResource(value, "https://crier.example")).toBe(expected),
);
