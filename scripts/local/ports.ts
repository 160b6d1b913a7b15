// Finds free ports on the loopback interface.
import { randomInt } from "node:crypto";
import { connect, createServer } from "node:net";

const HOST = "127.0.0.1";
const PORT_MAX = 65_535;

/** These ports are below the ephemeral ports of Linux (from 32,768), macOS and Windows (from 49,152). */
const OWN_PORTS = { first: 20_000, last: 32_000 };
const issuedPorts = new Set<number>();

/** A free port that this process has not been given before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(OWN_PORTS.first, OWN_PORTS.last + 1);
    if (issuedPorts.has(port)) continue;
    issuedPorts.add(port);
    if (!(await isTaken(port))) return port;
  }
}

/** The first free port above `port` that is not in `excludedPorts`; if there is none, any free port. */
export async function nextFreePort(port: number, excludedPorts: number[]): Promise<number> {
  for (let next = port + 1; next <= PORT_MAX; next++) {
    if (!excludedPorts.includes(next) && !(await isTaken(next))) return next;
  }
  return freePort();
}

/** Whether a port is in use, or this process is not allowed to use it. */
export async function isTaken(port: number): Promise<boolean> {
  // If a server listens on all addresses, some systems still let another server bind one of them.
  return (await answers(port)) || !(await canListen(port));
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: HOST });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}

/** The port in a setting. Throws if the setting is not a port. */
export function parsePort(name: string, value: string | undefined, standard: number): number {
  if (value === undefined || value === "") return standard;
  const port = Number(value);
  if (!/^\d+$/.test(value) || port < 1 || port > PORT_MAX) {
    throw new Error(`${name} must be a number from 1 to ${PORT_MAX}, not ${JSON.stringify(value)}.`);
  }
  return port;
}
