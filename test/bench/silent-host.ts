// A Bluesky server that a user has named. It accepts sign-ins, and later accepts every call without ever answering.
import { createServer } from "node:http";

export interface SilentHost {
  url: string;
  /** From now on, no call is answered. */
  goSilent(): void;
  /** Calls that are hanging now. */
  hanging(): number;
  close(): Promise<void>;
}

/** The access token's `exp`, so far in the future that no refresh is needed. */
const YEAR_S = 365 * 86_400;

export async function startSilentHost(): Promise<SilentHost> {
  let silent = false;
  let hanging = 0;
  let url = "";
  const server = createServer((request, response) => {
    if (silent) {
      hanging++;
      request.resume();
      response.once("close", () => hanging--);
      return;
    }
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      const { identifier = "" }: { identifier?: string } = JSON.parse(text || "{}");
      const did = `did:plc:${Buffer.from(identifier).toString("hex").padEnd(24, "a").slice(0, 24)}`;
      const claims = { sub: did, exp: Math.floor(Date.now() / 1000) + YEAR_S };
      const token = `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;
      const service = [{ id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: url }];
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ did, handle: identifier, accessJwt: token, refreshJwt: token, didDoc: { id: did, service } }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  url = `http://127.0.0.1:${address.port}`;
  return {
    url,
    goSilent: () => {
      silent = true;
    },
    hanging: () => hanging,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
