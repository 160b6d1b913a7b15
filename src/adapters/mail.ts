// Mail goes out over SMTP, or over Cloudflare's send binding.
import { LogLevel, WorkerMailer } from "worker-mailer";
import type { Letter } from "../domain/letter.ts";

export interface Mail {
  /** Throws when the letter was not taken. */
  send(letter: Letter): Promise<void>;
}

const TIMEOUT_MS = 15_000;

/** Mail over `smtp://user:password@host:port`; `smtps:` speaks TLS from the start, `smtp:` as soon as the server offers it. */
export function createSmtpMail(url: URL, from: string): Mail {
  const secure = url.protocol === "smtps:";
  const username = decodeURIComponent(url.username);
  const domain = from.split("@").at(-1);
  return {
    send: ({ reference, headers, ...letter }) =>
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
        {
          from,
          ...letter,
          headers: { ...headers, ...(reference === undefined ? {} : { "Message-ID": `<${reference}@${domain}>` }) },
        },
      ),
  };
}

/** Mail over a function that takes whole letters: Cloudflare's send binding. It gives them a Message-ID of its own. */
export function createBindingMail(
  send: (letter: Omit<Letter, "reference"> & { from: string }) => Promise<unknown>,
  from: string,
): Mail {
  return {
    async send({ reference: _, ...letter }) {
      await send({ from, ...letter });
    },
  };
}
