// A real SMTP server on loopback that keeps what it gets, and shows it over HTTP.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** Of those that a mail program acts on; by their names in lower case. */
  headers: Record<string, string>;
}

/**
 * `GET {readUrl}?to=address` answers the mails to an address, oldest first. `encrypts`: not at all, as soon as it is asked to, or
 * from the start; with a certificate that nobody trusts.
 */
export async function startMailServer({
  encrypts = "never",
}: {
  encrypts?: "never" | "when asked" | "always";
} = {}): Promise<{ smtpUrl: string; readUrl: string; close(): Promise<void> }> {
  const mails: ReceivedMail[] = [];
  const smtp = new SMTPServer({
    disabledCommands: encrypts === "never" ? ["STARTTLS"] : [],
    secure: encrypts === "always",
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === "crier" && password === "p@ss word"
        ? done(null, { user: username })
        : done(new Error("wrong password")),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        const mail = await PostalMime.parse(Buffer.concat(chunks));
        const to = session.envelope.rcptTo.map(({ address }) => address);
        mails.push({
          from: mail.from?.address ?? "",
          to,
          subject: mail.subject ?? "",
          text: mail.text ?? "",
          html: mail.html ?? "",
          headers: Object.fromEntries(mail.headers.map(({ key, value }) => [key, value])),
        });
        done();
      });
    },
  });
  // A client that does not trust the certificate.
  smtp.on("error", () => {});
  await new Promise<void>((settle) => smtp.listen(0, "127.0.0.1", settle));
  const http = createServer((request, response) => {
    const to = new URL(request.url ?? "/", "http://localhost").searchParams.get("to");
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ mails: mails.filter((mail) => to !== null && mail.to.includes(to)) }));
  });
  await new Promise<void>((settle) => http.listen(0, "127.0.0.1", settle));
  const portOf = (address: unknown) => (address as AddressInfo).port;
  return {
    smtpUrl: `${encrypts === "always" ? "smtps" : "smtp"}://crier:${encodeURIComponent("p@ss word")}@127.0.0.1:${portOf(smtp.server.address())}`,
    readUrl: `http://127.0.0.1:${portOf(http.address())}/`,
    async close() {
      http.closeAllConnections();
      await new Promise((settle) => http.close(settle));
      await new Promise<void>((settle) => smtp.close(() => settle()));
    },
  };
}
