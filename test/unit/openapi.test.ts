import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { operations } from "../../src/contract/index.ts";
import { getAccountScopes, has, type Operation } from "../../src/contract/operation.ts";
import { getBodySchema } from "../../src/contract/refusals.ts";
import { TAGS } from "../../src/contract/tags.ts";
import { EVENT_NAMES } from "../../src/domain/event.ts";
import { REFUSALS } from "../../src/domain/refusal-codes.ts";
import { openApi } from "../../src/http/openapi/document.ts";
import type { Content, ContentByType, Example, OperationObject, Reference } from "../../src/http/openapi/types.ts";
import { isExtensive } from "../support/runs.ts";

const document = openApi("https://api.crier.dev", "1.0.0");
const contract = Object.entries<Operation>(operations);

const statusByCode = new Map<string, number>(Object.entries(REFUSALS).map(([code, { status }]) => [code, status]));

function getDescription(operation: Operation): OperationObject {
  const path = document.paths[operation.path.replaceAll(/:(\w+)/g, "{$1}")];
  const description = path?.[operation.method.toLowerCase()];
  if (description === undefined) throw new Error(`${operation.method} ${operation.path} is not described`);
  return description;
}

/** The examples of a body, with references resolved. */
function getExampleValues(content: Content | ContentByType | undefined): unknown[] {
  const examples = Object.values<Content["application/json"]>({ ...content }).flatMap((content) =>
    Object.values(content.examples),
  );
  return examples.map((example: Example | Reference) =>
    "$ref" in example ? document.components.examples[example.$ref.split("/").at(-1) ?? ""]?.value : example.value,
  );
}

/** The faults that a schema finds in a value. */
const findFaults = (schema: z.ZodType | undefined, value: unknown) =>
  schema?.safeParse(value).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

it.runIf(isExtensive)(
  "a public linter finds no error and no warning in the OpenAPI document",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "openapi-"));
    try {
      const file = join(folder, "openapi.json");
      writeFileSync(file, JSON.stringify(document));
      const cli = join(import.meta.dirname, "../../node_modules/@redocly/cli/bin/cli.js");
      const config = join(import.meta.dirname, "redocly.yaml");
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [cli, "lint", file, `--config=${config}`, "--format=json"],
        { env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } },
      ).catch((error: { stdout: string; stderr: string }) => {
        if (!error.stdout?.startsWith("{")) throw error;
        return error;
      });
      const report = JSON.parse(stdout);
      const problems = report.problems.map(
        ({ ruleId, message, location }: { ruleId: string; message: string; location: { pointer: string }[] }) =>
          `${ruleId}: ${message} ${location[0]?.pointer}`,
      );
      expect(problems).toEqual([]);
      expect(report.totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  60_000,
);

describe.each(contract)("%s", (id, operation) => {
  const { operationId, tags, security, parameters = [], requestBody, responses } = getDescription(operation);

  it("the operation is documented with its id, tag, parameters and security schemes", () => {
    expect(operationId).toBe(id);
    expect(tags).toEqual([operation.tag]);
    expect(TAGS).toHaveProperty(operation.tag);
    const parameterNames = parameters.map((parameter) =>
      "$ref" in parameter ? parameter.$ref.split("/").at(-1) : parameter.name,
    );
    for (const [, name] of operation.path.matchAll(/:(\w+)/g)) expect(parameterNames).toContain(name);
    expect(parameterNames.includes("Workspace") && parameterNames.includes("WorkspaceQuery")).toBe(
      operation.auth === "key_or_session" || operation.auth === "session_in_workspace",
    );
    expect(parameterNames.includes("IdempotencyKey")).toBe(operation.idempotent === true);
    const schemes = security.flatMap((requirement) => Object.keys(requirement));
    const isForAccountKeys = getAccountScopes(operation).length > 0;
    expect(schemes).toEqual([
      ...{
        none: [],
        session: ["session", "sessionCookie"],
        session_in_workspace: ["session", "sessionCookie"],
        key_or_session: ["workspaceKey", "session", "sessionCookie"],
      }[operation.auth],
      ...(isForAccountKeys ? ["accountKey"] : []),
    ]);
    for (const scheme of schemes) expect(document.components.securitySchemes).toHaveProperty(scheme);
  });

  it("the operation's example bodies match its schema", () => {
    const values = getExampleValues(requestBody?.content);
    expect(values.length > 0).toBe(has(operation, "body"));
    const { fileTypes } = operation;
    for (const [i, value] of values.entries()) {
      const body = fileTypes === undefined ? value : { type: fileTypes[i], text: value };
      expect(findFaults(operation.body, body)).toEqual([]);
    }
  });

  it("the operation's example answers match their schemas", () => {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(Object.keys(operation.success)));
    for (const status of Object.keys(operation.success)) {
      const response = responses[status];
      expect(response?.headers).toHaveProperty("X-Request-Id");
      const values = getExampleValues(response?.content);
      expect(values.length > 0).toBe(has(operation, "result") && status !== "204");
      const narrower = Object.entries(operation.narrower ?? {}).find(
        ([narrowedStatus]) => narrowedStatus === status,
      )?.[1];
      for (const value of values) expect(findFaults(narrower ?? operation.result, value)).toEqual([]);
    }
  });

  it("every refusal of the operation is documented under its status", () => {
    const shownCodes = new Set<string>();
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      expect(response.headers).toHaveProperty("X-Request-Id");
      expect(Object.hasOwn(response.headers, "Retry-After")).toBe(["429", "503"].includes(status));
      const values = getExampleValues(response.content);
      expect(values.length).toBeGreaterThan(0);
      for (const value of values) {
        expect(findFaults(getBodySchema(Number(status), operation.violations !== undefined), value)).toEqual([]);
        expect(value).toMatchObject({ error: expect.any(String) });
      }
      for (const code of Object.keys(response.content?.["application/json"]?.examples ?? {})) {
        expect(statusByCode.get(code)).toBe(Number(status));
        shownCodes.add(code);
      }
    }
    for (const code of operation.refusals) expect(shownCodes).toContain(code);
  });
});

it("describes the call of each event to an endpoint", () => {
  const { webhooks } = document;
  expect(Object.keys(webhooks)).toEqual([...EVENT_NAMES, "webhook.test"]);
  const { requestBody, parameters } = webhooks["delivery.failed"]?.post ?? {};
  expect(requestBody?.content["application/json"]?.schema).toEqual({
    allOf: [
      { $ref: "#/components/schemas/Event" },
      { type: "object", properties: { event: { const: "delivery.failed" } } },
    ],
  });
  expect(parameters).toHaveLength(3);
});
