// Sends a mail to the operator with the Worker's mailer and settings, as far as the operator has a copy of them.
import { registerHooks } from "node:module";
import { letter } from "../../src/domain/letter.ts";
import { SettingsError } from "../../src/domain/settings-error.ts";
import { readSettings } from "../../src/settings.ts";
import type { Finding } from "./examine.ts";
import { received } from "./sockets.ts";

export interface MailTry {
  to: string;
  /** The Worker's settings. */
  vars: Record<string, string>;
  has(name: string): boolean;
  /** Whether Cloudflare's email binding is bound. */
  sendsMail: boolean;
  /** The Worker's name. */
  name: string;
  baseUrl: string;
  /** The operator's copy of the secrets. */
  known: Record<string, string | undefined>;
  /** The command to redeploy this installation. */
  again: string;
}

const SHOWN_LENGTH_MAX = 300;

export async function examineMail(mail: MailTry, tell: (finding: Finding) => void): Promise<void> {
  const { to, vars, has, sendsMail, name, baseUrl, known, again } = mail;
  const say = (state: Finding["state"], message: string, fix?: string) =>
    tell({ check: "mail", state, message, ...(fix === undefined ? {} : { fix }) });
  const setUrl = `npx wrangler secret put SMTP_URL --name ${name}`;
  const from = vars.MAIL_FROM ?? known.MAIL_FROM;
  if (!from)
    return say(
      "failed",
      "No email is sent, because MAIL_FROM is not set.",
      `${again} --set MAIL_FROM=crier@example.com`,
    );
  if (!has("SMTP_URL")) {
    if (!sendsMail) return say("failed", "No email is sent, because SMTP_URL is not set.", setUrl);
    const fix = `To test it, request a new password at ${vars.DASHBOARD_URL ?? baseUrl}; the log of ${name} in the Cloudflare dashboard shows errors.`;
    return say(
      "warning",
      "Email is sent with Cloudflare's send binding. Only the Worker can use it, so it was not tested.",
      fix,
    );
  }
  if (!known.SMTP_URL) {
    const fix = "Provide SMTP_URL in a file for --secrets or in the environment.";
    return say("warning", "SMTP_URL is set but cannot be read here, so no email was sent.", fix);
  }
  try {
    const smtpUrl = readSettings({ MAIL_FROM: from, SMTP_URL: known.SMTP_URL }).mail?.smtpUrl;
    if (!smtpUrl) return;
    const text = `This email was sent to test the mail settings of ${baseUrl}.`;
    const { createSmtpMail } = await loadMailer();
    const { host } = smtpUrl;
    try {
      await createSmtpMail(smtpUrl, from).send(letter(to, "Test email from Crier", [text, { link: baseUrl }]));
      // The server's last positive reply, except the one to QUIT (221).
      const answer = received.filter((line) => /^2\d\d/.test(line) && !line.startsWith("221")).at(-1) ?? "";
      say("ok", `${host} accepted an email from ${from} to ${to}: ${shorten(answer)}`);
    } catch (error) {
      const reason = shorten(error instanceof Error ? error.message : String(error));
      say(
        "failed",
        `${host} did not accept an email from ${from} to ${to}: ${reason}`,
        `${setUrl}, in the form smtps://user:password@host:465`,
      );
    }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    say("failed", `${error.message}.`, setUrl);
  }
}

/** The mailer imports the platform's sockets. */
async function loadMailer() {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "cloudflare:sockets"
        ? { url: new URL("./sockets.ts", import.meta.url).href, shortCircuit: true }
        : next(specifier, context),
  });
  return import("../../src/adapters/mail.ts");
}

const shorten = (text: string) => text.replaceAll(/\s+/g, " ").trim().slice(0, SHOWN_LENGTH_MAX);
