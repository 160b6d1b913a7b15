// In a workspace with the four-eyes rule, authors may not approve their own posts. Keys and apps count as the member behind them.
import { describe, expect, it } from "vitest";
import type { Caller } from "../../../../src/context.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

/** Sets up a workspace in which all posts need approval, with two owners and a publisher. */
async function setUpFourEyes(fourEyes = true) {
  const workspace = await setUpWorkspace({ workspace: { approval: "all", fourEyes } });
  const [ada, bo] = [await workspace.join("owner"), await workspace.join("owner")];
  const publisher = await workspace.join("publisher");
  /** Lets one caller write a post and another approve it. Returns the code of the refusal, or null after an approval. */
  const decide = async (writer: Caller, decider: Caller) => {
    const { body } = await workspace.create({}, { as: writer });
    const approval = { as: decider, id: String(body.id), body: { rev: 1, content_tag: body.content_tag } };
    return workspace.call("posts.approve", approval).then(
      () => null,
      (error: unknown) => catchRefusal(Promise.reject(error)).then(({ code }) => code),
    );
  };
  return { ...workspace, ada, bo, publisher, decide };
}

describe("a workspace with the four-eyes rule", () => {
  it("members cannot approve posts that they wrote, and can approve those of others", async () => {
    const { ada, bo, publisher, decide } = await setUpFourEyes();
    expect(await decide(ada, ada)).toBe("four_eyes");
    expect(await decide(publisher, publisher)).toBe("four_eyes");
    expect(await decide(ada, bo)).toBeNull();
    expect(await decide(bo, publisher)).toBeNull();
  });

  it("a named key counts as the member who created it", async () => {
    const { ada, bo, decide, nameKey } = await setUpFourEyes();
    const keyOfAda = await nameKey(ada);
    expect(await decide(keyOfAda, ada)).toBe("four_eyes");
    expect(await decide(ada, keyOfAda)).toBe("four_eyes");
    expect(await decide(keyOfAda, keyOfAda)).toBe("four_eyes");
    expect(await decide(keyOfAda, await nameKey(ada))).toBe("four_eyes");
    expect(await decide(keyOfAda, bo)).toBeNull();
    expect(await decide(bo, keyOfAda)).toBeNull();
  });

  it("the workspace key counts as each of the owners, and as no other member", async () => {
    const { ada, publisher, decide, keyCaller, nameKey } = await setUpFourEyes();
    const workspaceKey = keyCaller("key_of_the_workspace");
    expect(await decide(workspaceKey, workspaceKey)).toBe("four_eyes");
    expect(await decide(workspaceKey, ada)).toBe("four_eyes");
    expect(await decide(ada, workspaceKey)).toBe("four_eyes");
    expect(await decide(workspaceKey, await nameKey(ada))).toBe("four_eyes");
    expect(await decide(workspaceKey, publisher)).toBeNull();
    expect(await decide(publisher, workspaceKey)).toBeNull();
  });

  it("an app counts as the member for whom it acts", async () => {
    const { ada, bo, decide, connectApp } = await setUpFourEyes();
    const app = await connectApp(ada);
    expect(await decide(app, ada)).toBe("four_eyes");
    expect(await decide(ada, app)).toBe("four_eyes");
    expect(await decide(app, bo)).toBeNull();
  });

  it("the last editor of a post cannot approve it, and its first author can", async () => {
    const { ada, bo, create, call } = await setUpFourEyes();
    const { body } = await create({}, { as: ada });
    const id = String(body.id);
    const { body: edited } = await call("posts.update", { as: bo, id, body: { text: "better" } });
    const decision = { rev: 2, content_tag: edited.content_tag };
    expect(await catchRefusal(call("posts.approve", { as: bo, id, body: decision }))).toMatchObject({
      code: "four_eyes",
    });
    expect((await call("posts.approve", { as: ada, id, body: decision })).body).toMatchObject({ status: "queued" });
  });
});

it("writers can approve their own posts in a workspace without the four-eyes rule", async () => {
  const { ada, decide } = await setUpFourEyes(false);
  expect(await decide(ada, ada)).toBeNull();
});
