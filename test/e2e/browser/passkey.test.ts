// Passkeys in a browser with a software authenticator. Browsers create passkeys only for host names, so this run has one.
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { freePort } from "../../../scripts/local/ports.ts";
import { expectAccessibleInAll } from "./browsing.ts";
import { useDemo } from "./demo.ts";

let port = 0;
beforeAll(async () => {
  port = await freePort();
});
const getHome = () => `http://localhost:${port}`;
const demo = useDemo(() => ({ PORT: String(port), BASE_URL: getHome() }));
const PASSWORD = "correct horse battery staple";

/** Gives a page a software authenticator that confirms every request. */
async function addVirtualAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
}

it("creates a passkey, uses it to change the password, and signs in with it", async () => {
  const email = "passkey@example.com";
  const { page, faults, close } = await demo.open({ baseURL: getHome() });
  await page.goto("/auth/sign-up");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.getByRole("heading", { name: /^Welcome/ }).waitFor();
  await addVirtualAuthenticator(page);
  await page.goto("/settings/security");
  const adding = page.getByRole("region", { name: "Add a passkey" });
  await adding.getByLabel("Name").fill("Laptop");
  await adding.getByLabel("Your password").fill(PASSWORD);
  await adding.getByRole("button", { name: "Add passkey" }).click();
  const recovery = page.getByRole("status", { name: "Your recovery codes" });
  await recovery.waitFor();
  await recovery.getByRole("button", { name: "I have saved them" }).click();
  await page.getByRole("button", { name: "Remove Laptop" }).waitFor();

  const password = page.getByRole("region", { name: "Password", exact: true });
  await password.getByLabel("Current password").fill(PASSWORD);
  await password.getByLabel("New password").fill(`${PASSWORD} 2`);
  await password.getByRole("button", { name: "Change password" }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await dialog.getByRole("button", { name: "Use a passkey" }).waitFor();
  await expectAccessibleInAll(page);
  await dialog.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByText("Password changed").last().waitFor();

  await page.context().clearCookies();
  await page.goto("/auth?continue=/settings/security");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(`${PASSWORD} 2`);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Confirm that it is you" }).waitFor();
  await expectAccessibleInAll(page);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("button", { name: "Remove Laptop" }).waitFor();
  expect(faults.filter((fault) => !fault.startsWith(getHome()))).toEqual([]);
  await close();
});
