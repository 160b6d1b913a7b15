import { expect, it } from "vitest";
import { fillTemplate, writeDocuments, writeTemplates } from "../../src/http/docs/written.ts";

it("documents that were written at build say, once filled in, what the Worker itself would write", async () => {
  const [baseUrl, version] = ["https://api.crier.dev", "1.2.3+abcdef"];
  const templates = await writeTemplates();
  const written = await writeDocuments(baseUrl, version);
  expect(fillTemplate("openApi", templates.openApi, baseUrl, version) === written.openApi).toBe(true);
  expect(fillTemplate("docs", templates.docs, baseUrl, version) === written.docs).toBe(true);
  expect(written.docs).toContain(baseUrl);
  expect(written.openApi).toContain(version);
});

it("settings with characters of HTML, JSON or a replacement pattern stay text in the documents", async () => {
  const [baseUrl, version] = ['https://a.test/"><script>alert(1)</script>$&', '1"}$`'];
  const templates = await writeTemplates();
  const page = fillTemplate("docs", templates.docs, baseUrl, version);
  expect(page).not.toMatch(/<script|base-url\.invalid|version\.invalid/);
  const written = await writeDocuments(baseUrl, version);
  expect(fillTemplate("openApi", templates.openApi, baseUrl, version) === written.openApi).toBe(true);
});
