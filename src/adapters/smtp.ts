// The dialogue with a mail server (RFC 5321). Each answer has a time limit, and the connection closes however the dialogue
// ends.
import { connect } from "cloudflare:sockets";
import { base64 } from "../domain/encoding.ts";

export interface MailServer {
  host: string;
  port: number;
  /** Encrypted from the start; otherwise as soon as the server offers it. */
  secure: boolean;
  /** null: the server requires no authentication. */
  credentials: { username: string; password: string } | null;
}

const ANSWER_LENGTH_MAX = 64 * 1024;

/**
 * Submits `content`, complete with its terminator. Throws on a refusal or a missing answer; each answer may take `answerMs`.
 * After the server has accepted the mail, nothing is thrown.
 */
export async function submitMail(
  { host, port, secure, credentials }: MailServer,
  { from, to, content }: { from: string; to: string; content: string },
  answerMs: number,
): Promise<void> {
  const open = connect({ hostname: host, port }, { secureTransport: secure ? "on" : "starttls", allowHalfOpen: false });
  let dialogue = new Dialogue(open, answerMs);
  try {
    await dialogue.listen("220", "The connection");
    const hello = `EHLO ${from.split("@").at(-1)}`;
    let offers = await dialogue.say(hello, "250");
    if (!secure && /^250[ -]STARTTLS\s*$/im.test(offers)) {
      await dialogue.say("STARTTLS", "220");
      dialogue = dialogue.encrypted();
      offers = await dialogue.say(hello, "250");
    }
    const ways = /^250[ -]AUTH[ =](.*)$/im.exec(offers)?.[1]?.toUpperCase().trim().split(/\s+/);
    if (credentials !== null && ways !== undefined) await signIn(dialogue, ways, credentials);
    await dialogue.say(`MAIL FROM:<${from}>`, "250");
    await dialogue.say(`RCPT TO:<${to}>`, "25");
    await dialogue.say("DATA", "354");
    await dialogue.say(content, "250", { about: "The mail" });
    await dialogue.say("QUIT", "").catch(() => {});
  } finally {
    await dialogue.close();
  }
}

const encoded = (text: string) => base64(new TextEncoder().encode(text));

async function signIn(
  dialogue: Dialogue,
  ways: string[],
  { username, password }: { username: string; password: string },
): Promise<void> {
  const about = "Signing in";
  if (ways.includes("PLAIN")) {
    const secret = encoded(`\0${username}\0${password}`);
    await dialogue.say(`AUTH PLAIN ${secret}`, "235", { about, secret });
  } else if (ways.includes("LOGIN")) {
    const [name, secret] = [encoded(username), encoded(password)];
    await dialogue.say("AUTH LOGIN", "334", { about });
    await dialogue.say(name, "334", { about, secret: name });
    await dialogue.say(secret, "235", { about, secret });
  } else throw new Error(`The mail server signs in by ${ways.join(", ")} alone; PLAIN and LOGIN are known.`);
}

/** The lines and answers of one connection. */
class Dialogue {
  readonly #socket: Socket;
  readonly #answerMs: number;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #received = "";

  constructor(socket: Socket, answerMs: number) {
    this.#socket = socket;
    this.#answerMs = answerMs;
    this.#reader = socket.readable.getReader();
    this.#writer = socket.writable.getWriter();
  }

  /**
   * Sends a line, or several complete lines, and reads an answer that begins with `expected`. Error messages never contain
   * `secret`.
   */
  async say(
    line: string,
    expected: string,
    { about = line, secret = "" }: { about?: string; secret?: string } = {},
  ): Promise<string> {
    const answer = await this.#inTime(async () => {
      await this.#writer.write(new TextEncoder().encode(line.endsWith("\r\n") ? line : `${line}\r\n`));
      return this.#answer();
    }, about);
    return judged(secret === "" ? answer : answer.replaceAll(secret, "***"), expected, about);
  }

  async listen(expected: string, about: string): Promise<string> {
    return judged(await this.#inTime(() => this.#answer(), about), expected, about);
  }

  /**
   * The same connection, encrypted from here on. Throws if unread input is left: it came from a server that had not proven
   * its identity.
   */
  encrypted(): Dialogue {
    if (this.#received !== "") throw new Error("The mail server said more before it encrypted.");
    this.#reader.releaseLock();
    this.#writer.releaseLock();
    return new Dialogue(this.#socket.startTls(), this.#answerMs);
  }

  async close(): Promise<void> {
    await this.#socket.close().catch(() => {});
  }

  async #inTime(answer: () => Promise<string>, about: string): Promise<string> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, fail) => {
      const error = new Error(`${about} had no answer from the mail server within ${this.#answerMs / 1000} s.`);
      timer = setTimeout(() => fail(error), this.#answerMs);
    });
    try {
      return await Promise.race([answer(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** An answer has one or more lines; in the last line a space follows the code. */
  async #answer(): Promise<string> {
    for (;;) {
      const last = /^\d{3}(?: .*)?\r?\n/m.exec(this.#received);
      if (last !== null) {
        const end = last.index + last[0].length;
        const answer = this.#received.slice(0, end);
        this.#received = this.#received.slice(end);
        return answer;
      }
      if (this.#received.length > ANSWER_LENGTH_MAX) throw new Error("The mail server does not come to an end.");
      const { done, value } = await this.#reader.read();
      if (done) throw new Error("The mail server ended the connection.");
      this.#received += this.#decoder.decode(value, { stream: true });
    }
  }
}

function judged(answer: string, expected: string, about: string): string {
  if (answer.startsWith(expected)) return answer;
  throw new Error(`${about} was refused by the mail server: ${answer.trim()}`);
}
