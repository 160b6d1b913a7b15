import { expect, it } from "vitest";
import { COMMANDS } from "../../../cli/commands.ts";
import { outputTo } from "../../../cli/output/terminal.ts";
import { json, startService } from "./service.ts";

it("a deployment with a setting that makes no sense says so itself, and the doctor passes it on", async () => {
  const message = "SIGNING_KEY must have at least 32 bytes.";
  const service = await startService((response) =>
    json(response, 503, {
      error: "service_misconfigured",
      message,
      hint: "The operator mends it.",
      request_id: "req_1",
    }),
  );
  let text = "";
  const out = outputTo({ write: (part) => (text += part) }, {});
  const doctor = COMMANDS.find(({ name }) => name === "doctor");
  const env = { CRIER_URL: service.url, XDG_CONFIG_HOME: "/nonexistent" };
  const code = await doctor?.runRaw([], {
    env,
    stdin: process.stdin,
    out,
    err: out,
    signal: new AbortController().signal,
  });
  await service.close();
  expect(code).toBe(1);
  expect(text).toContain(message);
  expect(text).toContain("The operator mends it.");
  expect(text).not.toContain("npm start");
});
