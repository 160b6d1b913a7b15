// `cloudflare:sockets` for Node, as far as the mailer of the Worker needs it; and what servers have answered.
import { connect as connectTcp, isIP, type Socket as TcpSocket } from "node:net";
import { connect as connectTls } from "node:tls";

interface Address {
  hostname: string;
  port: number;
}
type Secure = "on" | "off" | "starttls";

/** What came from servers, oldest first. */
export const received: string[] = [];

/** A connection as Workers have it. */
class Connection {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  readonly opened: Promise<object>;
  readonly #socket: TcpSocket;
  readonly #hostname: string;

  constructor(socket: TcpSocket, hostname: string, opening: "connect" | "secureConnect") {
    this.#socket = socket;
    this.#hostname = hostname;
    this.opened = new Promise((settle, fail) => {
      socket.once(opening, () => settle({}));
      socket.once("error", fail);
    });
    // Of a connection that is encrypted later nobody asks it.
    this.opened.catch(() => {});
    this.readable = new ReadableStream({
      start(controller) {
        socket.on("data", (bytes: Buffer) => {
          received.push(bytes.toString());
          controller.enqueue(bytes);
        });
        const fail = (error: Error) => controller.error(error);
        socket.once("error", fail);
        socket.once("close", () => fail(new Error("the server ended the connection")));
      },
    });
    this.writable = new WritableStream({
      write: async (bytes) => {
        // So that a certificate that nobody trusts is the error, and not what comes of it.
        await this.opened;
        await new Promise<void>((settle, fail) => socket.write(bytes, (error) => (error ? fail(error) : settle())));
      },
    });
  }

  /** The same connection, encrypted from here on. */
  startTls(): Connection {
    this.#socket.removeAllListeners("data");
    this.#socket.removeAllListeners("close");
    return encrypted({ socket: this.#socket }, this.#hostname);
  }

  async close(): Promise<void> {
    this.#socket.destroySoon();
  }
}

function encrypted(over: { socket: TcpSocket } | { host: string; port: number }, hostname: string): Connection {
  const socket = connectTls({ ...over, ...(isIP(hostname) === 0 ? { servername: hostname } : {}) });
  return new Connection(socket, hostname, "secureConnect");
}

export function connect({ hostname, port }: Address, { secureTransport }: { secureTransport: Secure }): Connection {
  if (secureTransport === "on") return encrypted({ host: hostname, port }, hostname);
  return new Connection(connectTcp({ host: hostname, port }), hostname, "connect");
}
