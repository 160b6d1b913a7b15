// A connected Pinterest account, a pin for it, and rejections of its calls.
import type { Json } from "../../src/domain/json.ts";
import type { ConnectorContext, Publication } from "../../src/networks/network.ts";
import { pinterest } from "../../src/networks/pinterest/index.ts";
import { fault, hostFile, makeIO, png, publication, unique } from "./network-io.ts";
import { simulators } from "./simulators.ts";

export const OPTIONS = { board: "101", link: "https://example.com/shop" };
/** Connects an account by its name at the simulator. */
export async function account(name = unique("pinner")) {
  const io = makeIO(simulators, "pinterest");
  const input = { access_token: `access-for-${name}`, refresh_token: `refresh-for-${name}` };
  const connected = await pinterest.connect(input, io);
  if (connected.is !== "connected") throw new Error(JSON.stringify(connected));
  const context: ConnectorContext<Json> = { credential: connected.credential, io };
  return { name, connected, context, io };
}
export const pin = async (fields: Partial<Publication<Json>> = {}) =>
  publication("A pin", { options: OPTIONS, media: [await hostFile(simulators, png(0, "a gradient"))], ...fields });
/** Makes the simulator reject the next call of this name. */
export const refuse = (name: string, call: string, status: number, body: object, headers = {}) =>
  fault(simulators, { platform: "pinterest", account: name, call, do: "status", status, body, headers });
