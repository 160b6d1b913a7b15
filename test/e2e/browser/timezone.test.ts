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
  await page.getByRole("button", { name: /^Workspace: / }).click();
  await page.getByRole("button", { name: "New workspace" }).click();
  const dialog = page.getByRole("dialog", { name: "New workspace" });
  await dialog.getByLabel("Name", { exact: true }).fill("The second");
  await dialog.getByRole("button", { name: "Create workspace" }).click();
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

const makePost = (text: string, publish_at: string) =>
  demo.makePost({ text, channels: [demo.getChannelId("telegram")], publish_at });

it("the address of the calendar contains the displayed days, so that a link shows the same days in every view", async () => {
  const post = await makePost("The same day everywhere", "2027-10-31T23:30:00Z");
  const { page, faults, close } = await demo.visit({ timezoneId: "Pacific/Kiritimati" });
  await page.goto("/calendar");
  const title = page.getByRole("heading", { level: 2, name: "October 2027" });
  while ((await title.count()) === 0) await page.getByRole("button", { name: "Next month" }).click();
  await page.locator(`.calendar [data-date="2027-10-31"] [data-id="${post.id}"]`).waitFor();
  await page.getByRole("button", { name: "Agenda" }).click();
  await page.getByRole("region", { name: "Sunday 31 October" }).getByText("The same day").waitFor();
  await page.reload();
  await page.getByRole("region", { name: "Sunday 31 October" }).getByText("The same day").waitFor();
  await page.goto("/calendar?view=week&date=2027-10-31");
  await page.getByRole("heading", { level: 2, name: /^25.{1,3}31 Oct 2027$/ }).waitFor();
  await page.locator(`.calendar [data-date="2027-10-31"] [data-id="${post.id}"]`).waitFor();
  await page.getByRole("button", { name: "Today" }).click();
  expect(new URL(page.url()).searchParams.get("date")).toBeNull();
  expect(faults).toEqual([]);
  await close();
});

it("a post that is dragged across a change to daylight saving time keeps its local time, in any time zone of the browser", async () => {
  const { page, faults, close } = await demo.visit({ timezoneId: "Asia/Tokyo" });
  await page.goto("/settings/workspace");
  const clock = async (zone: string) => {
    await page.getByRole("combobox", { name: /^Time zone/ }).fill(zone);
    await page.getByRole("button", { name: "Save name and time zone" }).click();
    await page.getByText("Name and time zone saved").last().waitFor();
  };
  await clock("America/New_York");
  // Clocks in New York go forward by an hour on 14 March 2027.
  const post = await makePost("Over the hour", "2027-03-12T22:30");
  expect(post.publish_at_local).toBe("2027-03-12T22:30:00-05:00");
  await page.goto("/calendar?date=2027-03-12");
  await page.getByRole("heading", { level: 2, name: "March 2027" }).waitFor();
  const event = page.locator(".event").filter({ hasText: "Over the hour" });
  await event.waitFor();
  await event.dragTo(page.locator('[data-date="2027-03-15"]').first());
  await page.getByText(/^Moved to Mon,? 15 Mar 2027, 22:30/).waitFor();
  expect((await demo.getPost(post.id)).publish_at_local).toBe("2027-03-15T22:30:00-04:00");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Moved back").waitFor();
  expect((await demo.getPost(post.id)).publish_at_local).toBe(post.publish_at_local);
  await page.goto("/settings/workspace");
  await clock("UTC");
  expect(faults).toEqual([]);
  await close();
});
