// The inbox: the problems of a workspace, each with the button that solves it, and links to it that name the workspace.
import { expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { json } from "../local/running.ts";
import { expectAccessibleInAll, expectPlainWords } from "./browsing.ts";
import { useDemo } from "./demo.ts";

const demo = useDemo();

it("an account that lost its permission is reconnected from the inbox with one press, and the menu counts the problem", async () => {
  const credentials = { access_token: "access-for-locked_ada", refresh_token: "refresh-for-locked_ada" };
  const channel = await json<{ id: string }>(`${demo.run.url}/v1/channels`, demo.key, {
    ...{ platform: "x", handle: "locked_ada", credentials },
  });
  const post = await demo.makePost({ text: "Not allowed to go out", channels: [channel.id] });
  await eventually(async () => expect((await demo.getPost(post.id)).status).toBe("failed"));
  const { page, faults, close } = await demo.visit();
  const menu = page.getByRole("navigation", { name: "Pages" });
  await menu.getByRole("link", { name: /^Inbox\s*1 problem$/ }).click();
  const problems = page.getByRole("region", { name: "Problems" });
  await problems.getByText("X locked_ada: X won't let this account post.").waitFor();
  await expectAccessibleInAll(page);
  await expectPlainWords(page);
  await problems.getByRole("link", { name: "Reconnect X: Not allowed to go out" }).click();
  await page.waitForURL((url) => url.origin === demo.run.simulators);
  await page.goto("/activity");
  await problems.getByRole("button", { name: "More for Not allowed to go out" }).click();
  await page.getByRole("menuitem", { name: "Remove from this list" }).click();
  await page.getByText("No problems").waitFor();
  expect(await menu.getByRole("link", { name: "Inbox", exact: true }).count()).toBe(1);
  await page.getByRole("tab", { name: "Activity" }).click();
  await page.getByRole("region", { name: "Events" }).getByRole("listitem").first().waitFor();
  await expectAccessibleInAll(page);
  expect(faults).toEqual([]);
  await close();
});

it("a link that names a workspace opens it, and one of another person's workspace says so", async () => {
  const post = await demo.makePost({ text: "In the first workspace", channels: [demo.getChannelId("bluesky")] });
  const { page, faults, close } = await demo.visit();
  const { workspaces } = await page.evaluate<{ workspaces: { id: string }[] }>(
    "fetch('/v1/auth/me').then((answer) => answer.json())",
  );
  await page.getByRole("button", { name: /^Workspace: / }).click();
  await page.getByRole("button", { name: "New workspace" }).click();
  const dialog = page.getByRole("dialog", { name: "New workspace" });
  await dialog.getByLabel("Name").fill("Second");
  await dialog.getByRole("button", { name: "Create workspace" }).click();
  await page.getByRole("button", { name: "Workspace: Second" }).waitFor();

  await page.goto(`/posts/${post.id}?workspace=${workspaces[0]?.id}`);
  await page.getByRole("heading", { level: 1, name: "In the first workspace" }).waitFor();
  await page.getByRole("button", { name: "Workspace: Demo" }).waitFor();
  expect(new URL(page.url()).search).toBe("");
  await page.reload();
  await page.getByRole("button", { name: "Workspace: Demo" }).waitFor();

  await page.goto("/posts?workspace=ws_00000000000000000000000000");
  await page.getByText("That link is for a workspace that you're not a member of.").waitFor();
  expect(faults).toEqual([]);
  await close();
});
