// The description that n8n shows below the message of a failed node.
import { expect, it } from "vitest";
import { Refusal } from "../../../src/client/errors.ts";
import { asNodeError } from "../../../src/n8n/errors.ts";
import { makeBase } from "../../support/n8n.ts";

const NODE = makeBase("http://127.0.0.1:9", "crier_live_key").getNode();
const describeAnswer = (status: number, body: object) =>
  asNodeError(NODE, new Refusal(status, { error: "text_required", message: "No.", request_id: "r", ...body }))
    .description;

it("a hint that the first violation repeats appears once", () => {
  const violations = [{ code: "text_too_long", field: "/text", message: "It is 12 too long.", hint: "Shorten it." }];
  expect(describeAnswer(422, { hint: "Shorten it.", violations })).toBe(
    "text_too_long: /text It is 12 too long. Shorten it.",
  );
});

it("a hint without violations is followed by the code of the error", () => {
  expect(describeAnswer(409, { error: "no_free_slot", hint: "Add a slot." })).toBe("Add a slot.\nno_free_slot");
});

it("the description of an invalid key names the credential instead of the header", () => {
  expect(describeAnswer(401, { error: "unauthorized", hint: "Send `Authorization`." })).toBe(
    "Check the API key in the credential of the node.",
  );
});
