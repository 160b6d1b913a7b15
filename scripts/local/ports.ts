// Ports of the loopback: which are free, and which somebody has.
import { connect, createServer } from "node:net";

const HOST = "127.0.0.1";
const PORT_MAX = 65_535;

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((settle) => server.listen(0, HOST, settle));
  const address = server.address();
  await new Promise((settle) => server.close(settle));
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return address.port;
}

/** The first free port above `port` that is none of `others`. */
export async function nextFreePort(port: number, others: number[]): Promise<number> {
  for (let next = port + 1; next <= PORT_MAX; next++) {
    if (!others.includes(next) && !(await isTaken(next))) return next;
  }
  return freePort();
}

/** Whether somebody listens on a port, or it may not be listened on. */
export async function isTaken(port: number): Promise<boolean> {
  // Where a server listens on all addresses, some systems still let another have one of them.
  return (await answers(port)) || !(await canListen(port));
}

function answers(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect({ port, host: HOST });
    socket.once("connect", () => {
      socket.destroy();
      settle(true);
    });
    socket.once("error", () => settle(false));
  });
}

function canListen(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const server = createServer();
    server.once("error", () => settle(false));
    server.listen(port, HOST, () => server.close(() => settle(true)));
  });
}

/** The port that a setting names. Throws where it names none. */
export function portOf(name: string, value: string | undefined, standard: number): number {
  if (value === undefined || value === "") return standard;
  const port = Number(value);
  if (!/^\d+$/.test(value) || port < 1 || port > PORT_MAX) {
    throw new Error(`${name} must be a number from 1 to ${PORT_MAX}, not ${JSON.stringify(value)}.`);
  }
  return port;
}
