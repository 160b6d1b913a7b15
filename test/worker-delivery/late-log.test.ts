// An object logs lines after the last test of this file. If the tests use Vitest's own console, each line waits for a
// message that never comes, and the run does not end (workers-sdk issue 15719). This file would hang then.
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { testEnv } from "../support/env.ts";

const LINES = 200;

it("ends the run although an object logs lines after the file's last test", async () => {
  const isStarted = await runInDurableObject(testEnv.PUBLISHER.getByName("late-log:0"), () => {
    for (let ms = 0; ms < LINES; ms++) setTimeout(() => console.log(JSON.stringify({ event: "late_log", ms })), ms);
    return true;
  });
  expect(isStarted).toBe(true);
});
