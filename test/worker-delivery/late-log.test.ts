// Lines that an object logs after the last test of a file. When the tests' console is Vitest's own, such a line waits for a
// message that nobody sends, and the run never ends (workers-sdk issue 15719): this file would hang then.
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { testEnv } from "../support/env.ts";

const LINES = 200;

it("lines that an object logs after a file's last test do not keep the run from ending", async () => {
  const begun = await runInDurableObject(testEnv.PUBLISHER.getByName("late-log:0"), () => {
    for (let ms = 0; ms < LINES; ms++) setTimeout(() => console.log(JSON.stringify({ event: "late_log", ms })), ms);
    return true;
  });
  expect(begun).toBe(true);
});
