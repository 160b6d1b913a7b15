// Answers of X's own emulator, xdevplatform/playground, that differ in form from the description. It was built from
// commit fe224d5 and tested on 2026-11-26.
import { expect, it } from "vitest";
import { x } from "../../src/networks/x/index.ts";
import { prepareOnce, publication } from "./network-io.ts";
import { withSimulators } from "./simulators.ts";
import { account, refuse } from "./x-account.ts";

withSimulators();

const TYPES = "https://api.twitter.com/2/problems";
/** A problem in a list of errors only, without the usual fields next to the list. */
const toErrorList = (problem: object) => ({ errors: [problem] });

it("quotes the words of a list of errors in a rejection", async () => {
  const { name, context } = await account();
  const post = publication("x");
  const publishKey = await prepareOnce(x, post, context);
  await refuse(name, "tweets/create", 400, {
    errors: [{ message: "Your media IDs are invalid.", parameters: { "media.media_ids": ["99"] } }],
    detail: "One or more parameters to your request was invalid.",
    title: "Invalid Request",
    type: `${TYPES}/invalid-request`,
  });
  expect(await x.publish(post, publishKey, context)).toMatchObject({
    is: "rejected",
    error: "content_refused",
    networkMessage: "Your media IDs are invalid.",
  });
});

it("reports a missing permission for an app-only token", async () => {
  const { name, context } = await account();
  const post = publication("x");
  const publishKey = await prepareOnce(x, post, context);
  const problem = { status: 403, title: "Unsupported Authentication", type: `${TYPES}/unsupported-authentication` };
  await refuse(name, "tweets/create", 403, toErrorList({ ...problem, detail: "Application-Only is forbidden" }));
  expect(await x.publish(post, publishKey, context)).toMatchObject({ is: "rejected", error: "permission_missing" });
});

it("reports a deleted post as missing in a takedown, and as unknown after an empty list", async () => {
  const { name, context } = await account();
  const problem = { code: 50, title: "Not Found Error", detail: "Could not find tweet with id: [1]." };
  await refuse(name, "tweets/delete", 404, toErrorList({ ...problem, type: `${TYPES}/resource-not-found` }));
  expect(await x.takeDown?.({ id: "1", publishKey: null }, context)).toMatchObject({ is: "missing" });
  await refuse(name, "tweets/lookup", 200, { data: [], meta: { result_count: 0 } });
  expect(await x.recheck({ id: "1", publishKey: null }, context)).toMatchObject({ is: "unknown" });
});
