import { expect, it } from "vitest";
import { fillTemplate, writeDocuments, writeTemplates } from "../../src/http/docs/written.ts";

it("a document template from the build, once filled in, equals the document that the Worker would write", async () => {
  const [baseUrl, version] = ["https://api.crier.dev", "1.2.3+abcdef"];
  const templates = await writeTemplates();
  const expected = await writeDocuments(baseUrl, version);
  expect(fillTemplate("openApi", templates.openApi, baseUrl, version) === expected.openApi).toBe(true);
  expect(fillTemplate("docs", templates.docs, baseUrl, version) === expected.docs).toBe(true);
  expect(expected.docs).toContain(baseUrl);
  expect(expected.openApi).toContain(version);
});

it("settings with special characters of HTML, JSON or replacement patterns are escaped in the documents", async () => {
  const [baseUrl, version] = ['https://a.test/"><script>alert(1)</script>$&', '1"}$`'];
  const templates = await writeTemplates();
  const page = fillTemplate("docs", templates.docs, baseUrl, version);
  expect(page).not.toMatch(/<script|base-url\.invalid|version\.invalid/);
  const expected = await writeDocuments(baseUrl, version);
  expect(fillTemplate("openApi", templates.openApi, baseUrl, version) === expected.openApi).toBe(true);
});
