// Ports of the loopback: which are free, and which somebody has.
import { randomInt } from "node:crypto";
import { connect, createServer } from "node:net";

const HOST = "127.0.0.1";
const PORT_MAX = 65_535;

/** Below those that Linux (from 32,768), macOS and Windows (from 49,152) give to whoever names none. */
const OWN_PORTS = { first: 20_000, last: 32_000 };
const given = new Set<number>();

/** A port that nobody listens on, and that this process has not been given before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(OWN_PORTS.first, OWN_PORTS.last + 1);
    if (given.has(port)) continue;
    given.add(port);
    if (!(await isTaken(port))) return port;
  }
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
