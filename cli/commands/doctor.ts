import { type Client, connectionTrouble } from "../api/client.ts";
import { type Config, readConfig } from "../api/config.ts";
import type { Channel } from "../channel.ts";
import { allChannels, spoken } from "../channels.ts";
import { command, type Shell } from "../command.ts";
import type { Finding, Tell } from "../doctor/finding.ts";
import { networks } from "../doctor/networks.ts";
import { webhooks } from "../doctor/webhooks.ts";
import { EXIT, Failure, Refused } from "../failure.ts";
import { bytesText, count, relativeText, spanText } from "../output/format.ts";
import { hanging, type Output, oneLine } from "../output/terminal.ts";
import { COMMON, isLoopback, openClient, writeJson } from "../session.ts";

/** Above this skew, times computed on this machine are wrong. */
const SKEW_MAX_MS = 30_000;
const TOKEN_WARN_MS = 7 * 86_400_000;

export const doctor = command({
  name: "doctor",
  summary: "Find problems and how to fix them.",
  details:
    "Checks the address, the key, the clocks, the plan, every channel's token, every network's app, every webhook and the media host, " +
    "for which it uploads and deletes a one-pixel picture. The exit code is 0 unless a check fails.",
  flags: COMMON,
  examples: [["crier doctor", "One line for each check."]],
  async run(args, shell) {
    const { out } = shell;
    const asJson = args.has("json");
    const findings: Finding[] = [];
    let code: number = EXIT.done;
    const tell = (check: string, state: Finding["state"], message: string, hint?: string) => {
      const finding = { check, state, message, ...(hint === undefined ? {} : { hint }) };
      findings.push(finding);
      if (state === "failed" && code === EXIT.done) code = EXIT.unexpected;
      if (!asJson) write(out, finding);
    };
    const isKeyGood = await examine(args.get("url"), shell, tell);
    if (!isKeyGood) code = EXIT.notAuthenticated;
    if (asJson) writeJson(out, { findings });
    return code;
  },
});

/**
 * Returns whether there is a key that the service accepts, or that could not be checked because the service did not answer.
 */
async function examine(flagUrl: string | undefined, shell: Shell, tell: Tell): Promise<boolean> {
  let config: Config;
  try {
    config = await readConfig(flagUrl, shell.env);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    tell("settings", "failed", error.message, error.hint ?? undefined);
    return true;
  }
  for (const warning of config.warnings) tell("settings", "warning", warning);
  const { url, urlFrom, key, keyFrom } = config;
  if (url === null) {
    tell(
      "address",
      "failed",
      "No service address is set.",
      "crier login --url https://crier.example.com, or set CRIER_URL",
    );
    return true;
  }
  const anybody = openClient(shell, { url, key: null });
  if (!(await reachable(anybody, urlFrom ?? "", tell))) return true;
  clocks(anybody, tell);
  if (key === null) {
    tell("key", "failed", `No key is set for ${url}.`, "crier login, or set CRIER_API_KEY");
    return false;
  }
  const client = openClient(shell, { url, key });
  if (!(await keyTaken(client, keyFrom ?? "", tell))) return false;
  for (const check of [plan, networks, channels, webhooks, media]) {
    try {
      await check(client, tell);
    } catch (error) {
      if (!(error instanceof Failure) || error.exitCode === EXIT.interrupted) throw error;
      tell(check.name, "failed", error.message, error.hint ?? undefined);
    }
  }
  return true;
}

const TELL_OPERATOR = "tell the operator of this deployment";

async function reachable(client: Client, from: string, tell: Tell): Promise<boolean> {
  const startedAt = Date.now();
  try {
    const { body } = await client.call("health.read");
    const where = body.provider === "sandbox" ? "; its networks are simulated" : "";
    tell(
      "address",
      "ok",
      `${client.url} (${from}) answers in ${Date.now() - startedAt} ms, version ${body.version}${where}.`,
    );
    // The previous release sent none.
    for (const { message } of body.warnings ?? []) tell("service", "warning", message, TELL_OPERATOR);
    const { overdue, oldest_overdue_seconds: seconds } = body.scheduler;
    if (overdue > 0) {
      tell(
        "scheduler",
        "warning",
        `${count(overdue, "delivery", "deliveries")} overdue, the oldest by ${spanText(seconds * 1000)}.`,
        TELL_OPERATOR,
      );
    }
    return true;
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode === EXIT.interrupted) throw error;
    if (error instanceof Refused) {
      // The service answered, and its error explains the problem.
      tell("service", "failed", oneLine(error.message), error.hint === null ? undefined : oneLine(error.hint));
      return false;
    }
    const hint = isLoopback(client.url)
      ? "start the service: npm start"
      : "check the address, your connection and any proxy";
    tell("address", "failed", error.message, hint);
    return false;
  }
}

function clocks(client: Client, tell: Tell): void {
  const skew = client.skew();
  if (skew === null) tell("clock", "warning", "The service did not report its time.");
  else if (Math.abs(skew) < SKEW_MAX_MS) tell("clock", "ok", "This machine's clock agrees with the service's.");
  else {
    const off = `This machine's clock is ${spanText(skew)} ${skew > 0 ? "behind" : "ahead of"} the service's.`;
    tell(
      "clock",
      "warning",
      off,
      "set the clock; times like +2h are not affected, because they use the service's clock",
    );
  }
}

async function keyTaken(client: Client, from: string, tell: Tell): Promise<boolean> {
  try {
    const { body } = await client.call("workspaces.current");
    tell(
      "key",
      "ok",
      `The key (${from}) belongs to the workspace ${oneLine(body.name)}, which uses the time zone ${body.timezone}.`,
    );
    if (body.plan_status !== "active")
      tell("plan", "warning", `The plan is ${body.plan_status}.`, "contact the operator of this deployment");
    return true;
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode === EXIT.interrupted) throw error;
    tell("key", "failed", `${error.message} (the key from ${from})`, "crier login with the workspace's current key");
    return error.exitCode !== EXIT.notAuthenticated;
  }
}

async function plan(client: Client, tell: Tell): Promise<void> {
  const { body } = await client.call("usage.read");
  const { posts, media_bytes: files, drafts, draft_bytes: draftBytes } = body;
  const tight = (name: string, { used, allowed }: typeof posts, text: (n: number) => string, next: string) => {
    if (allowed === null || used <= allowed * 0.8) return false;
    tell("plan", used >= allowed ? "failed" : "warning", `${text(used)} of ${text(allowed)} ${name} in use.`, next);
    return true;
  };
  const isTight = [
    tight("posts", posts, String, "upgrade the plan, or wait for the next month"),
    tight("of files", files, bytesText, "upgrade the plan, or delete files"),
    tight("drafts", drafts, String, "upgrade the plan, or discard drafts"),
    tight("of drafts", draftBytes, bytesText, "upgrade the plan, or discard drafts"),
  ].some(Boolean);
  if (!isTight)
    tell("plan", "ok", `${body.plan}: ${count(posts.used, "post")} of ${posts.allowed ?? "unlimited"} this month.`);
}

async function channels(client: Client, tell: Tell): Promise<void> {
  const workspaceChannels = await allChannels(client);
  if (workspaceChannels.length === 0)
    tell("channels", "warning", "No channel is connected.", "crier channels connect PLATFORM");
  for (const channel of workspaceChannels) {
    const { state, token_expires_at: expiresAt, platform } = channel;
    const remainingMs = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - client.now();
    const fix = `crier channels connect ${platform}`;
    if (state !== "connected") tell("channels", "failed", `${spoken(channel)}: ${state.replace("_", " ")}.`, fix);
    else if (remainingMs < TOKEN_WARN_MS)
      tell(
        "channels",
        "warning",
        `${spoken(channel)}: its token expires ${relativeText(client.now() + remainingMs, client.now())}.`,
        fix,
      );
    else tell("channels", "ok", `${spoken(channel)}: connected.`);
    if (state === "connected") tellMissing(channel, tell);
  }
}

/** The user must consent again to grant the missing scopes. The previous release does not send this field. */
function tellMissing(channel: Channel, tell: Tell): void {
  for (const { permission, lost } of channel.missing_permissions ?? []) {
    const hint = `if you need it, ask the operator to add ${permission} to ${channel.platform.toUpperCase()}_SCOPES, then crier channels connect ${channel.platform}`;
    tell("channels", "ok", `${spoken(channel)} was not granted ${permission}: ${oneLine(lost)}`, hint);
  }
}

/** A transparent pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const MEDIA_TIMEOUT_MS = 20_000;

async function media(client: Client, tell: Tell): Promise<void> {
  const { body: rules } = await client.call("platforms.list");
  if (!rules.upload.available) {
    tell(
      "media",
      "warning",
      "This deployment does not accept uploads.",
      "ask the operator to set MEDIA_URL and the S3 settings",
    );
    return;
  }
  const { body: upload } = await client.call("media.request-upload", {
    body: { content_type: "image/png", bytes: PIXEL.byteLength },
  });
  const host = new URL(upload.public_url).host;
  try {
    const uploadResponse = await fetch(upload.upload_url, {
      method: "PUT",
      headers: { "content-type": upload.headers["Content-Type"] },
      body: PIXEL,
      signal: AbortSignal.timeout(MEDIA_TIMEOUT_MS),
    });
    if (!uploadResponse.ok) {
      tell(
        "media",
        "failed",
        `The bucket answered ${uploadResponse.status} to an upload.`,
        "ask the operator to check the S3 settings",
      );
      return;
    }
    const got = await fetch(upload.public_url, { signal: AbortSignal.timeout(MEDIA_TIMEOUT_MS) });
    const bytes = Buffer.from(await got.arrayBuffer());
    if (got.ok && bytes.equals(PIXEL)) tell("media", "ok", `Uploads work, and ${host} serves them.`);
    else
      tell(
        "media",
        "failed",
        `${host} answered ${got.status} to a file that was just uploaded.`,
        "ask the operator to check MEDIA_URL",
      );
  } catch (error) {
    tell(
      "media",
      "failed",
      `The media host does not answer: ${connectionTrouble(error)}.`,
      "ask the operator to check MEDIA_URL and S3_ENDPOINT",
    );
  } finally {
    await client.call("media.remove", { params: { id: upload.media.id } });
  }
}

const MARKS = { ok: ["green", "✓"], warning: ["yellow", "!"], failed: ["red", "✗"] } as const;

function write(out: Output, { check, state, message, hint }: Finding): void {
  const [colour, mark] = MARKS[state];
  const width = Math.min(out.width(), 100);
  const first = `${mark} ${check.padEnd(9)} `;
  const [line = "", ...followingLines] = hanging(first, message, width);
  out.line(line.replace(mark, () => out.paint(colour, mark)));
  for (const followingLine of followingLines) out.line(followingLine);
  if (hint !== undefined)
    for (const hintLine of hanging(`${" ".repeat(first.length)}→ `, hint, width)) out.line(hintLine);
}
