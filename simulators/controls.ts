// The simulators' own controls for tests and people: the page, the ledger, faults, and a user's actions on the network.
import type { Context, Hono } from "hono";
import * as z from "zod";
import { Fault } from "./faults.ts";
import { page } from "./page.ts";
import type { Simulator, SimulatorEnv, World } from "./simulator.ts";

const ExpiredToken = z.strictObject({ platform: z.string(), account: z.string(), expire_token: z.literal(true) });
const Scope = z.strictObject({ platform: z.string().optional(), account: z.string().optional() });

export function mountControls(
  app: Hono<SimulatorEnv>,
  { ledger, faults, files }: World,
  simulators: Simulator[],
  home: string | null,
): void {
  const findSimulator = (platform: string) => simulators.find((simulator) => simulator.platform === platform);

  app.get("/", (c) => c.html(page(ledger.list(), home)));
  app.get("/_sim/ledger", (c) =>
    c.json({ ledger: ledger.list({ platform: c.req.query("platform"), account: c.req.query("account") }) }),
  );
  app.get("/_sim/demo", (c) => c.json({ accounts: simulators.map(({ platform, demo }) => ({ platform, ...demo })) }));

  app.get("/_sim/faults", (c) => c.json({ faults: faults.list() }));
  app.post("/_sim/faults", async (c) => {
    const body: unknown = await c.req.json().catch(() => null);
    const requestedFaults: (Fault | z.output<typeof ExpiredToken>)[] = [];
    for (const item of Array.isArray(body) ? body : [body]) {
      const expires = typeof item === "object" && item !== null && "expire_token" in item;
      const parsed = (expires ? ExpiredToken : Fault).safeParse(item);
      if (!parsed.success) return refuse(c, "invalid_fault", z.prettifyError(parsed.error));
      const { platform } = parsed.data;
      const simulator = findSimulator(platform);
      if (simulator === undefined) {
        const platforms = simulators.map((candidate) => candidate.platform).join(", ");
        return refuse(c, "invalid_fault", `no network is named ${JSON.stringify(platform)}; there are ${platforms}`);
      }
      if ("call" in parsed.data) {
        const { call } = parsed.data;
        const calls = [...simulator.calls].sort();
        if (!calls.some((knownCall) => knownCall.toLowerCase() === call.toLowerCase())) {
          const message = `${platform} has no call ${JSON.stringify(call)}; its calls are ${calls.join(", ")}`;
          return refuse(c, "invalid_fault", message);
        }
      }
      requestedFaults.push(parsed.data);
    }
    for (const fault of requestedFaults) {
      if ("do" in fault) faults.arm([fault]);
      else if (!findSimulator(fault.platform)?.expireToken(fault.account))
        return refuse(c, "invalid_fault", `${fault.account} has no token that expires: it must have signed in`);
    }
    return c.json({ faults: faults.list() }, 201);
  });
  app.delete("/_sim/faults", (c) => {
    const scope = Scope.safeParse(c.req.query());
    if (!scope.success) return refuse(c, "invalid_scope", z.prettifyError(scope.error));
    faults.forget(scope.data);
    return c.body(null, 204);
  });

  app.post("/_sim/reset", async (c) => {
    const text = await c.req.text();
    const scope = Scope.safeParse(text === "" ? {} : parseJson(text));
    if (!scope.success) return refuse(c, "invalid_scope", z.prettifyError(scope.error));
    const { platform, account } = scope.data;
    ledger.forget(scope.data);
    for (const simulator of simulators)
      if (simulator.platform === (platform ?? simulator.platform)) simulator.reset(account);
    faults.forget(scope.data);
    return c.body(null, 204);
  });
  app.delete("/_sim/posts/:platform/:id{.+}", (c) => {
    // Hono has decoded both already.
    const { platform, id } = c.req.param();
    const entry = ledger.find(platform, id);
    if (entry === undefined) return c.json({ error: "not_found", message: `no post ${id} on ${platform}` }, 404);
    entry.deleted = true;
    findSimulator(platform)?.remove(entry.id);
    return c.body(null, 204);
  });

  app.put("/_sim/files", async (c) => {
    const url = c.req.query("url") ?? "";
    if (!URL.canParse(url)) return refuse(c, "invalid_url", "`url` must be the address of the file");
    files.put(url, c.req.header("content-type") ?? "", new Uint8Array(await c.req.arrayBuffer()));
    return c.body(null, 204);
  });
  app.get("/_sim/media/:sha256", (c) => {
    const file = ledger.bytesOf(c.req.param("sha256"));
    if (file === undefined) return c.json({ error: "not_found" }, 404);
    const headers = { "content-type": file.type, "cache-control": "max-age=3600" };
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(c.req.header("range") ?? "") ?? [];
    if (from === undefined || to === undefined) return c.body(file.bytes, 200, headers);
    const total = file.bytes.byteLength;
    const last = Math.min(Number(to), total - 1);
    const rangeBytes = file.bytes.slice(Number(from), last + 1);
    return c.body(rangeBytes, 206, { ...headers, "content-range": `bytes ${from}-${last}/${total}` });
  });

  app.notFound((c) => c.json({ error: "not_found", path: c.req.path }, 404));
  app.onError((error, c) => {
    // A caller that disconnects early is normal here, and nothing reads this answer.
    if (c.env.incoming.socket.destroyed) return new Response(null, { status: 499 });
    console.error(error);
    return c.json({ error: "simulator_bug", message: error.message }, 500);
  });
}

function refuse(c: Context<SimulatorEnv>, error: string, message: string): Response {
  return c.json({ error, message }, 422);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
