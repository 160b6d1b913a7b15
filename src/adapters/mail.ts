// Mail goes out over SMTP, or over Cloudflare's send binding.
import { LogLevel, WorkerMailer } from "worker-mailer";

export interface Letter {
  to: string;
  subject: string;
  text: string;
  html: string;
}
export interface Mail {
  /** Throws when the letter was not taken. */
  send(letter: Letter): Promise<void>;
}

const TIMEOUT_MS = 15_000;

/** Mail over `smtp://user:password@host:port`; `smtps:` speaks TLS from the start, `smtp:` as soon as the server offers it. */
export function createSmtpMail(url: URL, from: string): Mail {
  const secure = url.protocol === "smtps:";
  const username = decodeURIComponent(url.username);
  return {
    send: (letter) =>
      WorkerMailer.send(
        {
          host: url.hostname,
          port: Number(url.port || (secure ? 465 : 587)),
          secure,
          ...(username === ""
            ? {}
            : { credentials: { username, password: decodeURIComponent(url.password) }, authType: ["plain", "login"] }),
          socketTimeoutMs: TIMEOUT_MS,
          responseTimeoutMs: TIMEOUT_MS,
          logLevel: LogLevel.NONE,
        },
        { from, ...letter },
      ),
  };
}

/** Mail over a function that takes whole letters: Cloudflare's send binding. */
export function createBindingMail(send: (letter: Letter & { from: string }) => Promise<unknown>, from: string): Mail {
  return {
    async send(letter) {
      await send({ from, ...letter });
    },
  };
}
