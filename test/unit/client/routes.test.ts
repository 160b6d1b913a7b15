// The client has a copy of the contract's routes without its schemas.
import { expect, it } from "vitest";
import { IDEMPOTENT } from "../../../src/client/client.ts";
import { ROUTES } from "../../../src/client/routes.ts";
import { operations } from "../../../src/contract/index.ts";
import type { Operation } from "../../../src/contract/operation.ts";

const contract: [string, Operation][] = Object.entries(operations);

it("the client has the method and path of every operation in the contract", () => {
  expect(ROUTES).toEqual(Object.fromEntries(contract.map(([name, { method, path }]) => [name, `${method} ${path}`])));
});

it("the client lists every operation that takes an idempotency key", () => {
  expect(IDEMPOTENT).toEqual(contract.filter(([, { idempotent }]) => idempotent === true).map(([name]) => name));
});
