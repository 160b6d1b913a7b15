// Answers of X's own emulator, xdevplatform/playground, where its shapes are others than the description's. It was built from commit
// fe224d5 and asked on 2026-11-26.
import { expect, it } from "vitest";
import { x } from "../../src/networks/x/index.ts";
import { prepareOnce, publication } from "./network-io.ts";
import { withSimulators } from "./simulators.ts";
import { account, refuse } from "./x-account.ts";

withSimulators();

const TYPES = "https://api.twitter.com/2/problems";
/** A problem alone in a list, without its members beside it. */
const listed = (problem: object) => ({ errors: [problem] });

it("a refusal that has its words in a list of errors is told in these words", async () => {
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

it("a token of an app alone lacks the permission to post", async () => {
  const { name, context } = await account();
  const post = publication("x");
  const publishKey = await prepareOnce(x, post, context);
  const problem = { status: 403, title: "Unsupported Authentication", type: `${TYPES}/unsupported-authentication` };
  await refuse(name, "tweets/create", 403, listed({ ...problem, detail: "Application-Only is forbidden" }));
  expect(await x.publish(post, publishKey, context)).toMatchObject({ is: "rejected", error: "permission_missing" });
});

it("a post that was deleted before is missing when it is taken down, and nothing is known of it from an empty list", async () => {
  const { name, context } = await account();
  const problem = { code: 50, title: "Not Found Error", detail: "Could not find tweet with id: [1]." };
  await refuse(name, "tweets/delete", 404, listed({ ...problem, type: `${TYPES}/resource-not-found` }));
  expect(await x.takeDown?.({ id: "1", publishKey: null }, context)).toMatchObject({ is: "missing" });
  await refuse(name, "tweets/lookup", 200, { data: [], meta: { result_count: 0 } });
  expect(await x.verify({ id: "1", publishKey: null }, context)).toMatchObject({ is: "unknown" });
});
