// The OpenAPI document as a page for people. It reads the same without scripts.
import { html } from "hono/html";
import { FAILURES } from "../../domain/delivery/failure.ts";
import { REFUSALS, type RefusalCode } from "../../domain/refusal-codes.ts";
import { renderBrand } from "../brand.ts";
import type { Document, Schema } from "../openapi/types.ts";
import { block, json } from "./code.ts";
import { fieldTable } from "./fields.ts";
import { blocks, type Html, headings, inline, slug } from "./markdown.ts";
import { codeName, type Described, errorTable, methodBadge, operationSection } from "./operation.ts";
import { table } from "./table.ts";

/** The content of `<body>`. */
export function docsBody(document: Document): Html {
  const groups = document.tags.map(({ name, description }) => ({ name, description, operations: of(document, name) }));
  const { info, servers, components } = document;
  const objects = Object.entries(components.schemas).sort(([a], [b]) => a.localeCompare(b));
  return html`<a class="skip" href="#content">Skip to content</a>
  <header class="top">${renderBrand(info.title)} <span class="version">${info.version}</span>
    <nav><a href="/openapi.json">openapi.json</a><a href="/llms.txt">llms.txt</a></nav>
    <input type="checkbox" id="menu" aria-label="Show the contents"><label for="menu">Contents</label></header>
  <nav class="side" aria-label="Contents">
    <h2>Guide</h2><ul>${headings(info.description).map((title) => html`<li><a href="#${slug(title)}">${title}</a></li>`)}</ul>
    ${groups.map(
      ({ name, operations }) => html`<h2><a href="#${slug(name)}-calls">${name}</a></h2><ul>
      ${operations.map(({ method, operation }) => html`<li><a href="#${operation.operationId}">${methodBadge(method)}<span>${operation.summary}</span></a></li>`)}</ul>`,
    )}
    <h2>Reference</h2><ul><li><a href="#error-codes">Error codes</a></li><li><a href="#delivery-failures">Delivery failures</a></li>
      <li><a href="#objects">Objects</a></li></ul>
  </nav>
  <main id="content"><section class="intro" id="top"><h1>${info.title} API</h1><p class="lead">${info.summary}</p>
    <p class="base"><span>Base URL</span> <code>${servers[0]?.url}</code></p>
    ${blocks(info.description).slice(1)}</section>
    ${groups.map(
      ({
        name,
        description,
        operations,
      }) => html`<section class="group" id="${slug(name)}-calls"><h2>${name}</h2><p class="lead">${inline(description)}</p></section>
      ${operations.map((operation) => operationSection(document, operation))}`,
    )}
    <section class="reference" id="error-codes"><h2>Error codes</h2>
      <p>All codes that <code>error</code> and <code>violations[].code</code> can have. They are stable; messages may be reworded.</p>
      ${errorTable(Object.keys(REFUSALS).filter(isCode), true)}</section>
    <section class="reference" id="delivery-failures"><h2>Delivery failures</h2>
      <p>The reasons why a delivery can end without being published: the code in its <code>error</code>, and the <code>action</code> that resolves it.</p>${failureTable()}</section>
    <section class="reference" id="objects"><h2>Objects</h2>${objects.map(([name, schema]) => objectSection(name, schema))}</section>
  </main>`;
}

function of(document: Document, tag: string): Described[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function isCode(text: string): text is RefusalCode {
  return Object.hasOwn(REFUSALS, text);
}

function failureTable(): Html {
  const rows = Object.entries(FAILURES).map(
    ([code, { action, hint }]) =>
      html`<tr id="failure-${code}"><td>${codeName(code)}</td><td>${codeName(action)}</td><td>${hint}</td></tr>`,
  );
  return table("codes", "Delivery failures", ["Code", "Action", "What to do"], rows);
}

function objectSection(name: string, schema: Schema): Html {
  const [example] = schema.examples ?? [];
  return html`<section class="operation" id="object-${name}"><div class="words"><h3><a href="#object-${name}">${name}</a></h3>
    ${schema.description === undefined ? "" : html`<p>${inline(schema.description)}</p>`}${fieldTable(schema, "output")}</div>
    <div class="samples">${example === undefined ? "" : block("Example", json(example))}</div></section>`;
}
