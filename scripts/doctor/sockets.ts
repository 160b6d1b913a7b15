// Implements, for Node, the part of `cloudflare:sockets` that the Worker's mailer needs. Records the servers' answers.
import { connect as connectTcp, isIP, type Socket as TcpSocket } from "node:net";
import { connect as connectTls } from "node:tls";

interface Address {
  hostname: string;
  port: number;
}
type Secure = "on" | "off" | "starttls";

/** Lines received from servers, oldest first. */
export const received: string[] = [];

/** A connection with the interface of Workers. */
class Connection {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  readonly opened: Promise<object>;
  readonly #socket: TcpSocket;
  readonly #hostname: string;

  constructor(socket: TcpSocket, hostname: string, opening: "connect" | "secureConnect") {
    this.#socket = socket;
    this.#hostname = hostname;
    this.opened = new Promise((resolve, reject) => {
      socket.once(opening, () => resolve({}));
      socket.once("error", reject);
    });
    // Prevents an unhandled rejection: nothing awaits this promise if the connection is encrypted later.
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
        // Waits for the connection first, so that an untrusted certificate is reported, and not an error that follows from it.
        await this.opened;
        await new Promise<void>((resolve, reject) =>
          socket.write(bytes, (error) => (error ? reject(error) : resolve())),
        );
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
