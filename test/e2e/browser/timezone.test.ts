// A workspace has the time zone of its creator, and shows it to people in another zone.
import { expect, it } from "vitest";
import { json } from "../local/running.ts";
import { expectAccessibleInAll } from "./browsing.ts";
import { useDemo, type Visit } from "./demo.ts";

const demo = useDemo();
const PASSWORD = "correct horse battery staple";

async function signUp({ page }: Visit, email: string): Promise<void> {
  await page.goto("/auth/sign-up");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.waitForURL(`${demo.run.url}/`);
}

/** The zones of an account's workspaces, oldest first. */
async function readZones(email: string): Promise<string[]> {
  const body = { email, password: PASSWORD };
  const { workspaces } = await json<{ workspaces: { timezone: string }[] }>(
    `${demo.run.url}/v1/auth/login`,
    undefined,
    body,
  );
  return workspaces.map(({ timezone }) => timezone);
}

it("a user who signs up in New York gets workspaces with that time zone", async () => {
  const visit = await demo.open({ timezoneId: "America/New_York" });
  const { page, faults, close } = visit;
  await signUp(visit, "new-york@example.com");
  await page.getByText("Owner · New York").waitFor();
  await page.goto("/settings/workspace");
  await page.getByLabel("Its name", { exact: true }).fill("The second");
  await page.getByRole("button", { name: "Create workspace" }).click();
  await page.getByText("Workspace created").waitFor();
  expect(await readZones("new-york@example.com")).toEqual(["America/New_York", "America/New_York"]);
  expect(await page.getByText(/Your device is in/).count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

it("a user in another zone sees both zones in the settings, and can switch with one click", async () => {
  const home = await demo.open({ timezoneId: "America/New_York" });
  await signUp(home, "traveller@example.com");
  const cookies = await home.page.context().cookies();
  await home.close();
  const { page, faults, close } = await demo.open({ timezoneId: "Asia/Tokyo" });
  await page.context().addCookies(cookies);
  await page.goto("/settings/workspace");
  await page.getByText("Times here are in New York time. Your device is in Tokyo time.").waitFor();
  await expectAccessibleInAll(page);
  await page.getByRole("button", { name: "Use Tokyo time" }).click();
  await page.getByText("Owner · Tokyo").waitFor();
  await page.getByText(/Your device is in/).waitFor({ state: "detached" });
  expect(await readZones("traveller@example.com")).toEqual(["Asia/Tokyo"]);
  expect(faults).toEqual([]);
  await close();
});

it("a user without scripts gets a workspace with UTC", async () => {
  const visit = await demo.open({ timezoneId: "America/New_York", javaScriptEnabled: false });
  await signUp(visit, "no-scripts@example.com");
  expect(await readZones("no-scripts@example.com")).toEqual(["UTC"]);
  expect(visit.faults).toEqual([]);
  await visit.close();
});
