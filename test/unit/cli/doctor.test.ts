import { expect, it } from "vitest";
import { COMMANDS } from "../../../cli/commands.ts";
import { outputTo } from "../../../cli/output/terminal.ts";
import { type Answer, json, startService } from "./service.ts";

/** Runs the doctor against a service with the given answers. */
async function runDoctor(answer: Answer, key?: string): Promise<{ code: number | undefined; text: string }> {
  const service = await startService(answer);
  let text = "";
  const out = outputTo({ write: (chunk) => (text += chunk) }, {});
  const doctorCommand = COMMANDS.find(({ name }) => name === "doctor");
  const env = { CRIER_URL: service.url, XDG_CONFIG_HOME: "/nonexistent", ...(key ? { CRIER_API_KEY: key } : {}) };
  const signal = new AbortController().signal;
  const code = await doctorCommand?.runRaw([], { env, stdin: process.stdin, out, err: out, signal }, "doctor");
  await service.close();
  return { code, text };
}

it("the doctor prints a deployment's own warning about an invalid setting", async () => {
  const message = "SIGNING_KEY must have at least 32 bytes.";
  const { code, text } = await runDoctor((response) =>
    json(response, 503, {
      error: "service_misconfigured",
      message,
      hint: "The operator mends it.",
      request_id: "req_1",
    }),
  );
  expect(code).toBe(1);
  expect(text).toContain(message);
  expect(text).toContain("The operator mends it.");
  expect(text).not.toContain("npm start");
});

it("the doctor lists the missing optional permissions of a connected channel with their consequences", async () => {
  const channel = {
    id: "ch_01kac41f6n9p4r0s7t8w2y3a5b",
    platform: "facebook",
    handle: "The Shop",
    state: "connected",
    token_expires_at: null,
    missing_permissions: [{ permission: "read_insights", lost: "Posts have no figures." }],
  };
  const answers: [RegExp, object][] = [
    [/^\/healthz/, { provider: "live", version: "1", scheduler: { overdue: 0, oldest_overdue_seconds: 0 } }],
    [/^\/v1\/workspace$/, { name: "Ada", timezone: "UTC", plan_status: "active" }],
    [/^\/v1\/channels/, { channels: [channel], next: null }],
  ];
  const { text } = await runDoctor((response, { path }) => {
    const [, body] = answers.find(([pattern]) => pattern.test(path)) ?? [];
    if (body === undefined) return json(response, 404, { error: "not_found", message: "Not here.", hint: null });
    json(response, 200, body);
  }, "crier_live_key");
  const lines = text.replace(/\s+/g, " ");
  expect(lines).toContain("The Shop on facebook was not granted read_insights: Posts have no figures.");
  expect(lines).toContain("FACEBOOK_SCOPES");
});

it("the doctor lists the API version of each network, and warns of versions that end soon or have ended", async () => {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const network = (platform: string, days: number | null, publishes = "live") => ({
    platform,
    publishes,
    api: {
      version: `v-${platform}`,
      supported_until: days === null ? null : day(days),
      setting: days === null ? null : "SOME_VERSION",
    },
  });
  const answers: [RegExp, object][] = [
    [/^\/healthz/, { provider: "live", version: "1", scheduler: { overdue: 0, oldest_overdue_seconds: 0 } }],
    [/^\/v1\/workspace$/, { name: "Ada", timezone: "UTC", plan_status: "active" }],
    [
      /^\/v1\/platforms/,
      {
        platforms: [
          network("soon", 59),
          network("gone", -2),
          network("later", 62),
          network("never", null),
          network("unused", 3, "not_configured"),
          { platform: "older", publishes: "live" },
        ],
        upload: { available: false },
      },
    ],
  ];
  const { text } = await runDoctor((response, { path }) => {
    const [, body] = answers.find(([pattern]) => pattern.test(path)) ?? [];
    if (body === undefined) return json(response, 404, { error: "not_found", message: "Not here.", hint: null });
    json(response, 200, body);
  }, "crier_live_key");
  const lines = text.replace(/\s+/g, " ");
  expect(lines).toContain(`Version v-soon of the soon API, which this deployment uses, will be retired on ${day(59)}`);
  expect(lines).toContain(`Version v-gone of the gone API, which this deployment uses, was retired on ${day(-2)}`);
  expect(lines).toContain("to set SOME_VERSION to another version");
  const each = ["soon", "gone", "later"].map(
    (name, i) => `${name} v-${name} (until ${day([59, -2, 62][i] ?? 0)}, SOME_VERSION)`,
  );
  expect(lines).toContain(`API versions in use: ${each.join(", ")}, never v-never.`);
  expect(lines.match(/v-later|v-never|v-unused/g)).toEqual(["v-later", "v-never"]);
});

it("the doctor reports whether each webhook receives events, and the age of an old secret", async () => {
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const webhook = (id: string, fields: object = {}) => ({
    id,
    url: `https://hooks.example.com/${id}`,
    events: ["delivery.succeeded"],
    state: "enabled",
    disabled_reason: null,
    failing_since: null,
    secret_since: ago(1),
    created_at: ago(800),
    ...fields,
  });
  const attempt = { event: "delivery.succeeded", attempted_at: ago(0.1), next_attempt_at: null };
  const last: Record<string, object> = {
    well: { ...attempt, outcome: "delivered", response_code: 204 },
    failing: { ...attempt, outcome: "refused", response_code: 500 },
    gone: { ...attempt, outcome: "refused", response_code: 410 },
    silent: { ...attempt, outcome: "timeout", response_code: null, next_attempt_at: ago(-1) },
  };
  const answers: [RegExp, (path: string) => unknown][] = [
    [/^\/healthz/, () => ({ provider: "live", version: "1", scheduler: { overdue: 0, oldest_overdue_seconds: 0 } })],
    [/^\/v1\/workspace$/, () => ({ name: "Ada", timezone: "UTC", plan_status: "active" })],
    [/^\/v1\/webhooks\/(\w+)\//, (path) => ({ deliveries: [last[path.split("/")[3] ?? ""] ?? []].flat(), next: null })],
    [
      /^\/v1\/webhooks\?/,
      () => ({
        webhooks: [
          webhook("well"),
          webhook("new", { secret_since: undefined }),
          webhook("failing", { failing_since: ago(2), secret_since: ago(500) }),
          webhook("silent"),
          webhook("gone", { state: "disabled", disabled_reason: "gone" }),
        ],
        next: null,
      }),
    ],
  ];
  const { code, text } = await runDoctor((response, { path }) => {
    const [, body] = answers.find(([pattern]) => pattern.test(path)) ?? [];
    if (body === undefined) return json(response, 404, { error: "not_found", message: "Not here.", hint: null });
    json(response, 200, body(path));
  }, "crier_live_key");
  const lines = text.replace(/\s+/g, " ");
  expect(code).toBe(1);
  expect(lines).toContain(
    "✓ webhooks https://hooks.example.com/well: accepted delivery.succeeded, 204 2 h 24 min ago.",
  );
  expect(lines).toContain("✓ webhooks https://hooks.example.com/new: no event has been sent yet.");
  expect(lines).toMatch(
    /! webhooks \S+failing did not accept delivery\.succeeded \(500 2 h 24 min ago\), and has failed since 2 d ago; it will not be retried\./,
  );
  expect(lines).toMatch(/! webhooks \S+silent did not accept delivery\.succeeded \(timeout 2 h 24 min ago\)\./);
  expect(lines).toContain("→ fix the endpoint, then test it: POST /v1/webhooks/silent/test");
  expect(lines).toMatch(/✗ webhooks \S+gone is disabled: it answered with status 410\. It receives no events\./);
  expect(lines.match(/The secret of \S+ was created/g)).toEqual([
    "The secret of https://hooks.example.com/failing was created",
  ]);
});
