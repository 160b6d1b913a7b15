// Sends mail over SMTP, or over Cloudflare's email binding.
import { Email } from "worker-mailer";
import type { Letter } from "../domain/letter.ts";
import { submitMail } from "./smtp.ts";

export interface Mail {
  /** Throws if the letter was not accepted. */
  send(letter: Letter): Promise<void>;
}

const ANSWER_MS = 15_000;

/** Mail over `smtp://user:password@host:port`; `smtps:` speaks TLS from the start, `smtp:` as soon as the server offers it. */
export function createSmtpMail(url: URL, from: string, answerMs = ANSWER_MS): Mail {
  const secure = url.protocol === "smtps:";
  const username = decodeURIComponent(url.username);
  const server = {
    host: url.hostname,
    port: Number(url.port || (secure ? 465 : 587)),
    secure,
    credentials: username === "" ? null : { username, password: decodeURIComponent(url.password) },
  };
  const domain = from.split("@").at(-1);
  return {
    async send({ reference, headers, ...letter }) {
      const id = reference === undefined ? headers : { ...headers, "Message-ID": `<${reference}@${domain}>` };
      const content = new Email({ from, ...letter, headers: { ...id } }).getEmailData();
      await submitMail(server, { from, to: letter.to, content }, answerMs);
    },
  };
}

/**
 * Sends mail through a function that accepts complete letters: Cloudflare's email binding. The binding adds its own
 * Message-ID.
 */
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
