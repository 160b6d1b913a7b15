// The credential's own test calls the address that the nodes call.
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { CrierApi } from "../../../src/n8n/credentials/CrierApi.credentials.ts";

it.each(["", "/", "//", " ", "/ ", "\n"])("tests an address that ends with %j as the nodes call it", (end) => {
  const expression = /^=\{\{(.*)\}\}$/.exec(new CrierApi().test.request.baseURL)?.[1] ?? expect.fail("no expression");
  const baseUrl: unknown = runInNewContext(expression, { $credentials: { url: `https://crier.example.com${end}` } });
  expect(baseUrl).toBe("https://crier.example.com");
});
