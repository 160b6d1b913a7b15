import { createServer } from "node:net";
import { expect, it } from "vitest";
import { freePort, isTaken } from "../../../scripts/local/ports.ts";

it("freePort gives each caller another port, outside the range from which the system assigns ports", async () => {
  const ports = await Promise.all(Array.from({ length: 500 }, freePort));
  expect(new Set(ports).size).toBe(500);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

it("isTaken recognizes a port that has a listener", async () => {
  const port = await freePort();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  expect(await isTaken(port)).toBe(true);
  await new Promise((resolve) => server.close(resolve));
  expect(await isTaken(port)).toBe(false);
});
