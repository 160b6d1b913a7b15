// A second factor in a browser: set up, and required at sign-in and for protected actions.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { computeTotpCode, getTotpStep } from "../../../src/adapters/totp.ts";
import { expectAccessibleInAll } from "./browsing.ts";
import { useDemo } from "./demo.ts";
import { signUpAs } from "./people.ts";

const demo = useDemo();
const PASSWORD = "correct horse battery staple";

/** Signs in on the sign-in page, up to the request for the second factor. */
async function enterPassword(page: Page, email: string): Promise<void> {
  await page.goto("/auth?continue=/settings/security");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Confirm that it is you" }).waitFor();
}

it("sets up an authenticator app, signs in with its code, and shows a recovery code for a change of the password", async () => {
  const email = "factor@example.com";
  const { page, faults, close } = await signUpAs(demo, { email, password: PASSWORD });
  await page.goto("/settings/security");
  const card = page.getByRole("region", { name: "Second factor" });
  await card.getByText("You have no second factor yet").waitFor();
  const adding = card.getByRole("region", { name: "Add an authenticator app" });
  await adding.getByLabel("Name").fill("Phone");
  await adding.getByLabel("Your password").fill(PASSWORD);
  await adding.getByRole("button", { name: "Add app" }).click();
  const confirming = card.getByRole("region", { name: "Confirm the app" });
  await confirming.getByRole("img", { name: /^QR code/ }).waitFor();
  await expectAccessibleInAll(page);
  const secret = (await confirming.locator("code").textContent()) ?? "";
  const showCode = (steps: number) => computeTotpCode(secret, getTotpStep(Date.now()) + steps);
  await confirming.getByLabel("Six-digit code").fill(await showCode(0));
  await confirming.getByRole("button", { name: "Confirm app" }).click();
  const recovery = card.getByRole("status", { name: "Your recovery codes" });
  await recovery.waitFor();
  const codes = await recovery.getByRole("listitem").allTextContents();
  expect(codes).toHaveLength(10);
  await expectAccessibleInAll(page);
  await recovery.getByRole("button", { name: "I have saved them" }).click();
  await card.getByText("10 recovery codes are left.").waitFor();

  const { page: otherPage, close: closeOther } = await demo.open();
  await enterPassword(otherPage, email);
  await expectAccessibleInAll(otherPage);
  await otherPage.getByLabel("Code").fill("000000");
  await otherPage.getByRole("button", { name: "Sign in" }).click();
  await otherPage.getByRole("alert").getByText("The code is wrong or was already used.").waitFor();
  await otherPage.getByLabel("Code").fill(await showCode(1));
  await otherPage.getByRole("button", { name: "Sign in" }).click();
  await otherPage.getByRole("button", { name: "Remove Phone" }).waitFor();

  const password = page.getByRole("region", { name: "Password", exact: true });
  await password.getByLabel("Current password").fill(PASSWORD);
  await password.getByLabel("New password").fill(`${PASSWORD} 2`);
  await password.getByRole("button", { name: "Change password" }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await dialog.waitFor();
  await expectAccessibleInAll(page);
  await dialog.getByLabel("Code").fill("nonsense");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Code").fill(codes[0] ?? "");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("Password changed").last().waitFor();
  await dialog.waitFor({ state: "hidden" });
  expect(faults).toEqual([]);
  await closeOther();
  await close();
});
