// The OpenAPI document is complete, a public linter finds nothing in it, and its examples are what the service takes and gives.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { operations } from "../../src/contract/index.ts";
import { has, type Operation } from "../../src/contract/operation.ts";
import { getBodySchema } from "../../src/contract/refusals.ts";
import { TAGS } from "../../src/contract/tags.ts";
import { REFUSALS } from "../../src/domain/refusal-codes.ts";
import { openApi } from "../../src/http/openapi/document.ts";
import type { Content, ContentByType, Example, OperationObject, Reference } from "../../src/http/openapi/types.ts";
import { isWhole } from "../support/runs.ts";

const document = openApi("https://api.crier.dev", "1.0.0");
const contract = Object.entries<Operation>(operations);

const statusOf = new Map<string, number>(Object.entries(REFUSALS).map(([code, { status }]) => [code, status]));

function described(operation: Operation): OperationObject {
  const path = document.paths[operation.path.replaceAll(/:(\w+)/g, "{$1}")];
  const found = path?.[operation.method.toLowerCase()];
  if (found === undefined) throw new Error(`${operation.method} ${operation.path} is not described`);
  return found;
}

/** The examples of a body, references followed. */
function valuesOf(content: Content | ContentByType | undefined): unknown[] {
  const examples = Object.values<Content["application/json"]>({ ...content }).flatMap((one) =>
    Object.values(one.examples),
  );
  return examples.map((example: Example | Reference) =>
    "$ref" in example ? document.components.examples[example.$ref.split("/").at(-1) ?? ""]?.value : example.value,
  );
}

/** What a schema finds wrong with a value, in words; empty when nothing. */
const wrongWith = (schema: z.ZodType | undefined, value: unknown) =>
  schema?.safeParse(value).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

it.runIf(isWhole)(
  "is clean to the linter, without a warning",
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
  const { operationId, tags, security, parameters = [], requestBody, responses } = described(operation);

  it("says who may call it and how", () => {
    expect(operationId).toBe(id);
    expect(tags).toEqual([operation.tag]);
    expect(TAGS).toHaveProperty(operation.tag);
    const named = parameters.map((parameter) =>
      "$ref" in parameter ? parameter.$ref.split("/").at(-1) : parameter.name,
    );
    for (const [, name] of operation.path.matchAll(/:(\w+)/g)) expect(named).toContain(name);
    expect(named.includes("Workspace") && named.includes("WorkspaceQuery")).toBe(
      operation.auth === "key_or_session" || operation.auth === "session_in_workspace",
    );
    expect(named.includes("IdempotencyKey")).toBe(operation.idempotent === true);
    const schemes = security.flatMap((one) => Object.keys(one));
    expect(schemes).toEqual(
      {
        none: [],
        session: ["session", "sessionCookie"],
        session_in_workspace: ["session", "sessionCookie"],
        key_or_session: ["workspaceKey", "session", "sessionCookie"],
      }[operation.auth],
    );
    for (const scheme of schemes) expect(document.components.securitySchemes).toHaveProperty(scheme);
  });

  it("takes the bodies that it shows", () => {
    const values = valuesOf(requestBody?.content);
    expect(values.length > 0).toBe(has(operation, "body"));
    const { fileTypes } = operation;
    for (const [i, value] of values.entries()) {
      const body = fileTypes === undefined ? value : { type: fileTypes[i], text: value };
      expect(wrongWith(operation.body, body)).toEqual([]);
    }
  });

  it("gives the answers that it shows", () => {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(Object.keys(operation.success)));
    for (const status of Object.keys(operation.success)) {
      const response = responses[status];
      expect(response?.headers).toHaveProperty("X-Request-Id");
      const values = valuesOf(response?.content);
      expect(values.length > 0).toBe(has(operation, "result") && status !== "204");
      const narrower = Object.entries(operation.narrower ?? {}).find(([of]) => of === status)?.[1];
      for (const value of values) expect(wrongWith(narrower ?? operation.result, value)).toEqual([]);
    }
  });

  it("shows each refusal under its status", () => {
    const shown = new Set<string>();
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      expect(response.headers).toHaveProperty("X-Request-Id");
      expect(Object.hasOwn(response.headers, "Retry-After")).toBe(["429", "503"].includes(status));
      const values = valuesOf(response.content);
      expect(values.length).toBeGreaterThan(0);
      for (const value of values) {
        expect(wrongWith(getBodySchema(Number(status), operation.violations !== undefined), value)).toEqual([]);
        expect(value).toMatchObject({ error: expect.any(String) });
      }
      for (const code of Object.keys(response.content?.["application/json"]?.examples ?? {})) {
        expect(statusOf.get(code)).toBe(Number(status));
        shown.add(code);
      }
    }
    for (const code of operation.refusals) expect(shown).toContain(code);
  });
});
