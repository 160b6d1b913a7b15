// A real SMTP server on loopback that stores the mails it receives and returns them over HTTP.
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** The headers of the mail, by their lower-case names. */
  headers: Record<string, string>;
}

/**
 * `GET {readUrl}?to=address` returns the mails to an address, oldest first. `encrypts` chooses no encryption, STARTTLS, or
 * encryption from the start. No client trusts the certificate.
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
  // A client that does not trust the certificate ends the connection with an error.
  smtp.on("error", () => {});
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
  const http = createServer((request, response) => {
    const to = new URL(request.url ?? "/", "http://localhost").searchParams.get("to");
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ mails: mails.filter((mail) => to !== null && mail.to.includes(to)) }));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const getPort = (address: unknown) => (address as AddressInfo).port;
  return {
    smtpUrl: `${encrypts === "always" ? "smtps" : "smtp"}://crier:${encodeURIComponent("p@ss word")}@127.0.0.1:${getPort(smtp.server.address())}`,
    readUrl: `http://127.0.0.1:${getPort(http.address())}/`,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await new Promise<void>((resolve) => smtp.close(() => resolve()));
    },
  };
}

/** The answers of a server that requires a sign-in and accepts one mail. */
const ANSWERS = [
  "220 here",
  "250-here\r\n250 AUTH PLAIN",
  "235 welcome",
  "250 from",
  "250 to",
  "354 go on",
  "250 taken",
  "221 bye",
];

/**
 * Starts mail servers that close the connection too early: the first one at once, and each further one after one more answer. The
 * last two are a server that never answers and a server whose answer never ends.
 */
export async function startBrokenMailServers(): Promise<{ urls: string[]; close(): Promise<void> }> {
  const breakingOff = (answers: string[]) => (socket: Socket) => {
    let received = "";
    let answered = 0;
    const go = () => {
      const answer = answers[answered++];
      if (answer === undefined) return socket.end();
      socket.write(`${answer}\r\n`);
      if (answered === answers.length) socket.end();
    };
    go();
    socket.on("data", (bytes) => {
      received += bytes;
      // The mail itself ends with a dot alone.
      if (received.endsWith(answered === 6 ? "\r\n.\r\n" : "\r\n")) go();
    });
  };
  const kinds = [
    ...[...ANSWERS, ""].map((_, count) => breakingOff(ANSWERS.slice(0, count))),
    () => {},
    (socket: Socket) => {
      const go = () => socket.destroyed || socket.write("x".repeat(16_384), () => setImmediate(go));
      go();
    },
  ];
  const servers = await Promise.all(
    kinds.map(async (kind) => {
      const server = createTcpServer((socket) => kind(socket.on("error", () => {})));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return server;
    }),
  );
  return {
    urls: servers.map((server) => `smtp://crier:p%40ss@127.0.0.1:${(server.address() as AddressInfo).port}`),
    close: async () => {
      for (const server of servers) server.close();
    },
  };
}
