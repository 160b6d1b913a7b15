// The documents of the service are public and complete, and none of their links is dead.
import { createExecutionContext } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { operations } from "../../src/contract/index.ts";
import { FAILURES } from "../../src/domain/delivery/failure.ts";
import { REFUSALS } from "../../src/domain/refusal-codes.ts";
import { app } from "../../src/http/app.ts";
import { inline } from "../../src/http/docs/markdown.ts";
import { docsBody } from "../../src/http/docs/page.ts";
import { openApi } from "../../src/http/openapi/document.ts";

import { testEnv } from "../support/env.ts";

const BASE_URL = "http://crier.test";

async function read(path: string): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await exports.default.fetch(new Request(`${BASE_URL}${path}`, { redirect: "manual" }));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const describedOperations = Object.entries(operations).map(([id, { method, path }]) => ({
  id,
  method,
  path: path.replaceAll(/:(\w+)/g, "{$1}"),
}));

it("a deployed version serves the documents from the build", async () => {
  const templates: Record<string, string> = {
    "/openapi.json": "{}",
    "/docs.html": "<h1>https://base-url.invalid</h1>",
  };
  const ASSETS = { fetch: async (url: URL) => new Response(templates[url.pathname]) };
  const env = { ...testEnv, VERSION: "1.0.0+abc", BASE_URL: "http://built.test", ASSETS };
  const ask = (path: string) => app.fetch(new Request(`http://built.test${path}`), env, createExecutionContext());
  expect(await (await ask("/openapi.json")).text()).toBe("{}");
  expect(await (await ask("/docs")).text()).toContain("<h1>http://built.test</h1>");
});

describe.each([
  ["/openapi.json", "application/json"],
  ["/docs", "text/html; charset=UTF-8"],
  ["/llms.txt", "text/plain; charset=UTF-8"],
])("GET %s", (path, type) => {
  it("the document is public and has the right content type", async () => {
    const { status, headers, text } = await read(path);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe(type);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-request-id")).toMatch(/^req_/);
    expect(text).toContain(BASE_URL);
    expect(text).not.toMatch(/undefined|\[object |NaN/);
  });
});

it.each(["/openapi.json", "/docs", "/llms.txt"])(
  "%s has the configured address, whatever the headers of a request say",
  async (path) => {
    const headers = { "X-Forwarded-Host": "evil.test", "X-Forwarded-Proto": "javascript", Forwarded: "host=evil.test" };
    for (const url of [`${BASE_URL}${path}?x=<script>evil.test`, `http://evil.test${path}`]) {
      const text = await (await exports.default.fetch(new Request(url, { headers, redirect: "manual" }))).text();
      expect(text).not.toContain("evil.test");
    }
  },
);

describe("GET /openapi.json", () => {
  it("the OpenAPI document describes each operation without a dead reference", async () => {
    const { text } = await read("/openapi.json");
    const document = JSON.parse(text);
    expect(document.openapi).toBe("3.1.0");
    expect(document.servers[0].url).toBe(BASE_URL);
    for (const { id, method, path } of describedOperations)
      expect(document.paths[path][method.toLowerCase()].operationId).toBe(id);
    const references = [...text.matchAll(/"\$ref":"#\/([\w/]+)"/g)].map(([, pointer = ""]) => pointer);
    expect(references.length).toBeGreaterThan(100);
    for (const pointer of new Set(references)) {
      const [, kind = "", name = ""] = pointer.split("/");
      expect(document.components[kind], pointer).toHaveProperty(name);
    }
    expect(text).not.toContain("#/$defs/");
  });
});

describe("GET /docs", () => {
  it("the documentation page loads nothing, runs only its own script and cannot be framed", async () => {
    const { headers, text } = await read("/docs");
    const policy = headers.get("content-security-policy") ?? "";
    const nonce = /style-src 'nonce-([^']+)'/.exec(policy)?.[1];
    expect(text).toContain(`<style nonce="${nonce}">`);
    expect(policy).toContain(`script-src 'nonce-${nonce}'`);
    const [before = "", script = "", after] = text
      .split(`<script nonce="${nonce}">`)
      .flatMap((piece) => piece.split("</script>"));
    expect(script).toContain("requestOf");
    expect(after).toBe("</body></html>");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toContain("unsafe-");
    expect(before).not.toMatch(/<(script|link|img|iframe)\b|\son\w+=|\sstyle=|@import|url\(/i);
    expect(script).not.toMatch(/https?:|innerHTML|eval|localStorage|cookie/);
  });

  it("the documentation page has each operation with its address and a call", async () => {
    const { text } = await read("/docs");
    for (const { id, method, path } of describedOperations) {
      const [, section = ""] = text.split(`<section class="operation" id="${id}">`);
      const [operationHtml = ""] = section.split("<section");
      expect(operationHtml.replaceAll(/<\/?var>/g, ""), id).toContain(`<code>${path}</code>`);
      expect(operationHtml, id).toContain(`>${method}</span>`);
      expect(operationHtml, id).toContain(`curl${method === "GET" ? "" : ` -X ${method}`} `);
    }
  });

  it("the documentation page has each error code and each delivery failure", async () => {
    const { text } = await read("/docs");
    for (const code of Object.keys(REFUSALS)) expect(text).toContain(`<tr id="error-${code}">`);
    for (const [code, { action }] of Object.entries(FAILURES)) {
      const [, row = ""] = text.split(`<tr id="failure-${code}">`);
      expect(row.split("</tr>")[0]?.replaceAll("<wbr>", "")).toContain(`<code>${action}</code>`);
    }
  });

  it("each link of the documentation page has exactly one target", async () => {
    const { text } = await read("/docs");
    const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => id);
    expect(ids.length).toBe(new Set(ids).size);
    const places = new Set(ids);
    for (const [, id = ""] of text.matchAll(/href="#([^"]*)"/g)) expect(places, id).toContain(id);
    for (const path of new Set([...text.matchAll(/href="(\/[^"]*)"/g)].map(([, path = ""]) => path)))
      expect((await read(path)).status, path).toBe(200);
  });

  it("the documentation page escapes texts from the schemas and the settings", async () => {
    const document = openApi('https://a.test/"><script>alert(1)</script>', "<b>1</b>");
    document.info.summary = "<img src=x>";
    document.tags[0] = { name: "Posts", description: "`<i>` **<i>** [<i>](javascript:alert(1))" };
    const page = String(await docsBody(document));
    expect(page).not.toMatch(/<script|<img|<i>`|<b>1|href="javascript:/);
    expect(String(await Promise.all(inline("[x](//evil.test) [y](/docs)")))).toContain('<a href="/docs">y</a>');
  });
});

describe("GET /llms.txt", () => {
  it("llms.txt is Markdown that begins with the name and a summary", async () => {
    const { text } = await read("/llms.txt");
    expect(text).toMatch(/^# Crier\n\n> .+\n/);
    expect(text.length).toBeLessThan(6_000);
  });

  it("llms.txt names only existing calls and addresses", async () => {
    const { text } = await read("/llms.txt");
    const calls = [...text.matchAll(/`([A-Z]+) (\/[^`\s]*)`/g)];
    expect(calls.length).toBeGreaterThan(5);
    for (const [, method, path] of calls)
      expect(describedOperations).toContainEqual(expect.objectContaining({ method, path }));
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, url = ""]) => url);
    expect(links.length).toBeGreaterThan(3);
    for (const url of links) expect((await read(url.slice(BASE_URL.length))).status, url).toBe(200);
  });
});
