// One operation on the page: its description on the left, an example call and answer on the right.
import { html } from "hono/html";
import { REFUSALS, type RefusalCode } from "../../domain/refusal-codes.ts";
import type {
  Content,
  ContentByType,
  Document,
  Example,
  OperationObject,
  Parameter,
  Reference,
  ResponseObject,
} from "../openapi/types.ts";
import { block, curl, json } from "./code.ts";
import { fieldTable, renderMeaning, renderType } from "./fields.ts";
import { blocks, type Html, inline } from "./markdown.ts";
import { table } from "./table.ts";

export interface Described {
  method: string;
  path: string;
  operation: OperationObject;
}

const isReference = <T>(value: T | Reference): value is Reference => "$ref" in Object(value);
const getReferenceName = ({ $ref }: Reference) => $ref.split("/").at(-1) ?? "";

export function operationSection(document: Document, { method, path, operation }: Described): Html {
  const parameters = (operation.parameters ?? []).flatMap((parameter) =>
    isReference(parameter) ? (document.components.parameters[getReferenceName(parameter)] ?? []) : [parameter],
  );
  const body = operation.requestBody?.content["application/json"];
  const refusals = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
  return html`<section class="operation" id="${operation.operationId}"><div class="words">
    <h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
    <p class="address">${methodBadge(method)} <code>${path.split(/(\{\w+\})/).map((segment) => (segment.startsWith("{") ? html`<var>${segment}</var>` : segment))}</code></p>
    <p class="auth">${renderAuth(operation)}</p>
    ${operation.description === undefined ? "" : blocks(operation.description)}
    ${parameters.length === 0 ? "" : html`<h4>Parameters</h4>${parameterTable(parameters)}`}
    ${body === undefined ? "" : html`<h4>Body</h4>${fieldTable(body.schema, "input")}`}
    <h4>Response</h4>${listSuccesses(operation).map(([status, response]) => answer(status, response))}
    ${refusalTable(refusals)}
    </div><div class="samples">${samples(document, { method, path, operation }, parameters, body)}</div></section>`;
}

/** A body has one content type: JSON or the type of a file. */
const getBody = (content: ContentByType = {}) => Object.values(content)[0];

/** Lists 201 before 200. */
function listSuccesses({ responses }: OperationObject): [status: string, ResponseObject][] {
  const successes = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return successes.sort(([a], [b]) => Number(b === "201") - Number(a === "201"));
}

export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function renderAuth({ security }: OperationObject): Html {
  const schemes = security.flatMap((requirement) => Object.keys(requirement));
  if (schemes.length === 0) return html`<span class="who">Public</span> No credential needed.`;
  if (schemes.includes("workspaceKey")) {
    return html`<span class="who">Key or session</span> A workspace key, or a session that names its workspace.`;
  }
  return schemes.includes("accountKey")
    ? html`<span class="who">Session or account key</span> A signed-in user, or their account key; a workspace key is refused.`
    : html`<span class="who">Session</span> A signed-in user; a workspace key is refused.`;
}

function parameterTable(parameters: Parameter[]): Html {
  const rows = parameters.map(
    ({ name, in: where, required, schema, description }) => html`<tr>
      <td><code>${name}</code>${required ? html` <span class="required">required</span>` : ""}</td>
      <td>${where}</td><td>${renderType(schema)}</td><td>${renderMeaning({ ...schema, description }, "input")}</td></tr>`,
  );
  return table("fields", "Parameters", ["Name", "In", "Type", "Meaning"], rows);
}

function answer(status: string, response: ResponseObject): Html {
  const schema = getBody(response.content)?.schema;
  const type = schema === undefined ? "" : schema.properties === undefined ? html` ${renderType(schema)}` : "";
  return html`<p class="answer">${statusBadge(status)}${type} <span>${inline(response.description)}</span></p>
    ${schema?.properties === undefined ? "" : fieldTable(schema, "output")}`;
}

function statusBadge(status: string | number): Html {
  return html`<span class="status s${String(status).charAt(0)}">${status}</span>`;
}

function isCode(text: string): text is RefusalCode {
  return Object.hasOwn(REFUSALS, text);
}

function refusalTable(refusals: [status: string, ResponseObject][]): Html {
  const codes = refusals.flatMap(([, { content }]) => Object.keys(getBody(content)?.examples ?? {}).filter(isCode));
  return html`<details><summary>${codes.length} possible errors</summary>${errorTable(codes, false)}</details>`;
}

/** A code that may wrap only after its underscores. */
export function codeName(code: string): Html {
  return html`<code>${code.split(/(?<=_)/).map((word, i) => html`${i === 0 ? "" : html`<wbr>`}${word}`)}</code>`;
}

/** A table of codes with status, meaning and hint. `anchors`: whether rows can be linked to. */
export function errorTable(codes: RefusalCode[], anchors: boolean): Html {
  const rows = codes.map((code) => {
    const entry: { status: number; message: string; hint?: string } = REFUSALS[code];
    return html`<tr${anchors ? html` id="error-${code}"` : ""}><td>${statusBadge(entry.status)}</td>
        <td>${anchors ? codeName(code) : html`<a href="#error-${code}">${codeName(code)}</a>`}</td>
        <td>${inline(entry.message)}${entry.hint === undefined ? "" : html` <span class="hint">${inline(entry.hint)}</span>`}</td></tr>`;
  });
  return table("codes", "Refusals", ["Status", "Code", "Meaning, and what to do"], rows);
}

function samples(
  { servers }: Document,
  { method, path, operation }: Described,
  parameters: Parameter[],
  body: Content["application/json"] | undefined,
): Html {
  const inPath = new Map(
    parameters
      .filter((parameter) => parameter.in === "path")
      .map((parameter) => [parameter.name, String(parameter.example)]),
  );
  const url = `${servers[0]?.url}${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => inPath.get(name) ?? name)}`;
  const schemes = operation.security.flatMap((requirement) => Object.keys(requirement));
  const headers: [string, string][] = [];
  if (schemes.includes("workspaceKey")) headers.push(["Authorization", "Bearer $CRIER_KEY"]);
  else if (schemes.includes("session")) headers.push(["Authorization", "Bearer $CRIER_SESSION"]);
  const key = parameters.find(({ name }) => name === "Idempotency-Key");
  if (key !== undefined) headers.push([key.name, String(key.example)]);
  if (body !== undefined) headers.push(["Content-Type", "application/json"]);
  const call = { method, url, headers };
  const requests = Object.values(body?.examples ?? {}).filter((example): example is Example => !isReference(example));
  const [first, ...otherRequests] = requests;
  return html`${block(first?.summary ?? "Request", curl({ ...call, body: first?.value }))}
    ${otherRequests.map(({ summary, value }) => html`<details><summary>${summary}</summary>${block("Body", json(value))}</details>`)}
    ${listSuccesses(operation).map(([status, { content }], i) => answerSample(status, content, i === 0))}`;
}

function answerSample(status: string, content: ContentByType | undefined, open: boolean): Html {
  const values = Object.values(getBody(content)?.examples ?? {}).filter(
    (example): example is Example => !isReference(example),
  );
  if (values.length === 0) return html``;
  const answerSamples = html`${values.map(({ value }) => block(html`${statusBadge(status)} Response`, typeof value === "string" ? value : json(value)))}`;
  return open ? answerSamples : html`<details><summary>Response ${status}</summary>${answerSamples}</details>`;
}
