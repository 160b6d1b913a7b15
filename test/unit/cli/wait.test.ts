import { afterEach, expect, it } from "vitest";
import { makeClient } from "../../../cli/api/client.ts";
import { parseArguments } from "../../../cli/command.ts";
import { Failure } from "../../../cli/failure.ts";
import { outputTo } from "../../../cli/output/terminal.ts";
import { getExitCode, readWait, waitFor } from "../../../cli/wait.ts";
import { SAMPLE_POST } from "../../../src/contract/samples.ts";
import { json, type Service, startService } from "./service.ts";

const open: Service[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});

const hint = "The network has not said whether it published the post. Crier looks for it there until 12:30 UTC.";
const underWay = {
  ...SAMPLE_POST,
  status: "publishing" as const,
  media_fit: "exact" as const,
  repeat: null,
  link_tags: null,
  repeat_of: null,
  repeat_status: null,
  publish_at: null,
  deliveries: SAMPLE_POST.deliveries.map((delivery) => ({
    ...delivery,
    status: "publishing" as const,
    url: null,
    url_state: "none" as const,
    guarantee: "at_most_once" as const,
    figures: {},
    error: null,
    hint,
  })),
};

it("waiting prints the progress of each delivery and ends at its time limit", async () => {
  const service = await startService((response) => json(response, 200, underWay));
  open.push(service);
  const { signal } = new AbortController();
  const client = makeClient({ url: service.url, key: "crier_live_key", signal });
  let text = "";
  const err = outputTo({ isTTY: false, write: (chunk) => (text += chunk) }, {});
  const last = await waitFor(client, underWay, [], { err, signal, waitMs: 0 });
  expect(text).toContain(hint);
  expect(text).toContain(`crier status ${underWay.id}`);
  expect(getExitCode(last)).toBe(8);
});

it.each([
  ["90s", 90_000],
  ["10m", 600_000],
  ["2h", 7_200_000],
  [undefined, Number.POSITIVE_INFINITY],
])("the duration in --wait=%s is understood", (value, ms) => {
  expect(readWait(value)).toBe(ms);
});

it.each(["", "0s", "10", "10 m", "ten", "-1m", "1d", "9999999h"])("refuses --wait=%s", (value) => {
  expect(() => readWait(value)).toThrow(Failure);
});

it("a flag has a value only after an equals sign", () => {
  const definition = {
    name: "try",
    positionals: [{ name: "text", description: "" }],
    flags: { wait: { type: "boolean", short: "w", optionalValue: "TIME", description: "" } },
  } as const;
  const read = (...args: string[]) => parseArguments({ ...definition, positionals: [...definition.positionals] }, args);
  expect(read("x", "--wait=10m").get("wait")).toBe("10m");
  expect(read("x", "-w").has("wait")).toBe(true);
  expect(readWait(read("x", "--wait").get("wait"))).toBe(Number.POSITIVE_INFINITY);
  expect(read("x").has("wait")).toBe(false);
  expect(read("--", "--wait=10m").positionals).toEqual(["--wait=10m"]);
});
