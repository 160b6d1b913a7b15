// What the client knows of the contract without its schemas.
import { expect, it } from "vitest";
import { IDEMPOTENT } from "../../../src/client/client.ts";
import { ROUTES } from "../../../src/client/routes.ts";
import { operations } from "../../../src/contract/index.ts";
import type { Operation } from "../../../src/contract/operation.ts";

const contract: [string, Operation][] = Object.entries(operations);

it("every call goes where the contract says", () => {
  expect(ROUTES).toEqual(Object.fromEntries(contract.map(([name, { method, path }]) => [name, `${method} ${path}`])));
});

it("every call that takes an idempotency key is given one", () => {
  expect(IDEMPOTENT).toEqual(contract.filter(([, { idempotent }]) => idempotent === true).map(([name]) => name));
});
