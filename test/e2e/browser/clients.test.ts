// What an agency gives to its clients: a brand, a link to connect an account, and a report.
import { devices } from "playwright-core";
import { expect, it } from "vitest";
import { expectAccessible } from "./browsing.ts";
import { useDemo } from "./demo.ts";

const demo = useDemo();

it("shows the brand of the workspace on the pages of a connect link and of a report, on a phone", async () => {
  const { page, faults, close } = await demo.visit();
  await page.goto("/settings/workspace");
  await page.getByLabel("Brand name").fill("Northwind Studio");
  await page.getByRole("button", { name: "Save brand" }).click();
  await page.getByText("Brand saved").last().waitFor();

  await page.goto("/channels");
  await page.getByRole("button", { name: "Link for a client" }).click();
  const linking = page.getByRole("dialog", { name: "Link for a client" });
  await linking.getByLabel("Network").selectOption("pinterest");
  await expectAccessible(page);
  await linking.getByRole("button", { name: "Create link" }).click();
  const link = await linking.getByLabel("Link to connect Pinterest").inputValue();

  await page.goto("/analytics?from=2026-11-01&to=2026-11-02");
  await page.getByLabel("From").waitFor();
  await page.goto("/analytics");
  await page.getByRole("button", { name: "Share report" }).click();
  const reporting = page.getByRole("dialog", { name: "Share a report" });
  await reporting.getByRole("button", { name: "Create link" }).click();
  const report = await reporting.getByLabel("Link to the report").inputValue();
  await expectAccessible(page);

  const { page: phone, close: closePhone } = await demo.open({ ...devices["Pixel 7"] });
  await phone.goto(link);
  await phone.getByText("Northwind Studio wants to post to your Pinterest account.").waitFor();
  await expectAccessible(phone);
  await phone.getByRole("button", { name: "Continue to Pinterest" }).click();
  await phone.getByRole("button", { name: "Allow" }).click();
  await phone.getByRole("button", { name: "Connect" }).click();
  await phone.getByText("Northwind Studio can now post to this account on Pinterest").waitFor();
  await expectAccessible(phone);
  await phone.goto(report);
  await phone.getByText("Northwind Studio").first().waitFor();
  await expectAccessible(phone);
  expect(faults).toEqual([]);
  await Promise.all([close(), closePhone()]);
});

it("invites a member with a link where mail is not set up", async () => {
  const { page, faults, close } = await demo.visit();
  await page.goto("/settings/members");
  const form = page.getByRole("region", { name: "Invite someone" });
  await form.getByLabel("Email").fill("colleague@example.com");
  await form.getByRole("button", { name: "Create a link" }).click();
  expect(await form.getByLabel("Link for colleague@example.com").inputValue()).toContain("/invitation?token=");
  await expectAccessible(page);
  expect(faults).toEqual([]);
  await close();
});
