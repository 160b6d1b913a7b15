// Who stands for whom where a workspace asks for two people.
import { describe, expect, it } from "vitest";
import type { Caller } from "../../../../src/context.ts";
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

/** A workspace in which all posts wait, with two owners and a publisher. */
async function carefulWorkspace(fourEyes = true) {
  const workspace = await workspaceOfTwo({ workspace: { approval: "all", fourEyes } });
  const [ada, bo] = [await workspace.join("owner"), await workspace.join("owner")];
  const publisher = await workspace.join("publisher");
  /** Has one caller write a post and another approve it; null: it was approved. */
  const decide = async (writer: Caller, decider: Caller) => {
    const { body } = await workspace.create({}, { as: writer });
    const approval = { as: decider, id: String(body.id), body: { rev: 1, content_tag: body.content_tag } };
    return workspace.call("posts.approve", approval).then(
      () => null,
      (error: unknown) => refusal(Promise.reject(error)).then(({ code }) => code),
    );
  };
  return { ...workspace, ada, bo, publisher, decide };
}

describe("a workspace that asks for two people", () => {
  it("lets nobody approve a post that they wrote, and lets another approve it", async () => {
    const { ada, bo, publisher, decide } = await carefulWorkspace();
    expect(await decide(ada, ada)).toBe("four_eyes");
    expect(await decide(publisher, publisher)).toBe("four_eyes");
    expect(await decide(ada, bo)).toBeNull();
    expect(await decide(bo, publisher)).toBeNull();
  });

  it("takes a named key for the member who made it", async () => {
    const { ada, bo, decide, nameKey } = await carefulWorkspace();
    const keyOfAda = await nameKey(ada);
    expect(await decide(keyOfAda, ada)).toBe("four_eyes");
    expect(await decide(ada, keyOfAda)).toBe("four_eyes");
    expect(await decide(keyOfAda, keyOfAda)).toBe("four_eyes");
    expect(await decide(keyOfAda, await nameKey(ada))).toBe("four_eyes");
    expect(await decide(keyOfAda, bo)).toBeNull();
    expect(await decide(bo, keyOfAda)).toBeNull();
  });

  it("takes the workspace's own key for each of its owners, and for no other member", async () => {
    const { ada, publisher, decide, keyCaller, nameKey } = await carefulWorkspace();
    const own = keyCaller("key_of_the_workspace");
    expect(await decide(own, own)).toBe("four_eyes");
    expect(await decide(own, ada)).toBe("four_eyes");
    expect(await decide(ada, own)).toBe("four_eyes");
    expect(await decide(own, await nameKey(ada))).toBe("four_eyes");
    expect(await decide(own, publisher)).toBeNull();
    expect(await decide(publisher, own)).toBeNull();
  });

  it("takes an application for the member for whom it acts", async () => {
    const { ada, bo, decide, connectApp } = await carefulWorkspace();
    const app = await connectApp(ada);
    expect(await decide(app, ada)).toBe("four_eyes");
    expect(await decide(ada, app)).toBe("four_eyes");
    expect(await decide(app, bo)).toBeNull();
  });

  it("knows who changed a post last, and forgets who wrote it first", async () => {
    const { ada, bo, create, call } = await carefulWorkspace();
    const { body } = await create({}, { as: ada });
    const id = String(body.id);
    const { body: edited } = await call("posts.update", { as: bo, id, body: { text: "better" } });
    const decision = { rev: 2, content_tag: edited.content_tag };
    expect(await refusal(call("posts.approve", { as: bo, id, body: decision }))).toMatchObject({ code: "four_eyes" });
    expect((await call("posts.approve", { as: ada, id, body: decision })).body).toMatchObject({ status: "queued" });
  });
});

it("a workspace that does not ask for two people lets the writer approve", async () => {
  const { ada, decide } = await carefulWorkspace(false);
  expect(await decide(ada, ada)).toBeNull();
});
