// n8n tests a credential by calling the same address as the nodes.
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { CrierApi } from "../../../src/n8n/credentials/CrierApi.credentials.ts";

it.each(["", "/", "//", " ", "/ ", "\n"])("the test of a credential accepts an address that ends with %j", (end) => {
  const expression = /^=\{\{(.*)\}\}$/.exec(new CrierApi().test.request.baseURL)?.[1] ?? expect.fail("no expression");
  const baseUrl: unknown = runInNewContext(expression, { $credentials: { url: `https://crier.example.com${end}` } });
  expect(baseUrl).toBe("https://crier.example.com");
});
