// The simulators misbehave exactly as scripted, and the controls for people work.
import { describe, expect, it } from "vitest";
import { startSimulators } from "../../simulators/server.ts";
import { call, ledger, toUrl, useSimulators } from "./support/driver.ts";

useSimulators();

describe("faults of the simulators", () => {
  const bot = `/telegram/bot123456789:${"A".repeat(35)}`;
  const addFault = (fault: object) => call("/_sim/faults", { platform: "telegram", call: "sendMessage", ...fault });
  const send = (account: string) => call(`${bot}/sendMessage`, { chat_id: account, text: "x" });

  it("drop a call before or after it is accepted, answer as scripted, and count calls", async () => {
    await addFault({ account: "@faulty", do: "reset_after_accept" });
    await expect(send("@faulty")).rejects.toThrow();
    expect(await ledger("@faulty")).toHaveLength(1);
    await addFault({ account: "@faulty", do: "reset_before" });
    await expect(send("@faulty")).rejects.toThrow();
    expect(await ledger("@faulty")).toHaveLength(1);
    await addFault({
      account: "@faulty",
      do: "status",
      status: 429,
      headers: { "retry-after": "7" },
      body: { ok: false },
      skip: 1,
      count: 2,
    });
    expect([
      (await send("@faulty")).status,
      (await send("@faulty")).status,
      (await send("@faulty")).status,
      (await send("@faulty")).status,
    ]).toEqual([200, 429, 429, 200]);
    expect((await send("@other")).status).toBe(200);
  });

  it.each([
    { do: "explode" },
    { do: "status", platform: "nowhere" },
    { do: "status", sometimes: true },
    { do: "status", call: "sendMesage" },
  ])("are rejected if they are invalid: %j", async (fault) => {
    expect(await addFault(fault)).toMatchObject({ status: 422, body: { error: "invalid_fault" } });
    expect((await call<{ faults: [] }>("/_sim/faults")).body.faults).toEqual([]);
  });

  it("are rejected with a list of calls if they name an unknown call", async () => {
    const { body } = await addFault({ call: "sendMesage", do: "timeout" });
    expect(body.message).toMatch(/^telegram has no call "sendMesage"; its calls are .*\bsendMessage, sendPhoto\b/);
    expect((await addFault({ platform: "myspace", do: "timeout" })).body.message).toContain(
      "there are bluesky, facebook",
    );
  });

  it("can name the publish calls of every network", async () => {
    const otherSimulators = await startSimulators({ port: 0 });
    for (const { platform, calls, publishCalls } of otherSimulators.all) {
      expect({ platform, calls: [...calls] }).toEqual({
        platform,
        calls: expect.arrayContaining(Object.values(publishCalls)),
      });
    }
    await otherSimulators.close();
  });

  it("do not prevent the server from surviving a caller that leaves during an upload", async () => {
    const leaving = new AbortController();
    const half = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(1_000));
        leaving.abort();
      },
    });
    const init = { method: "POST", body: half, duplex: "half" as const, signal: leaving.signal };
    await expect(fetch(toUrl(`${bot}/sendPhoto`), init)).rejects.toThrow();
    expect((await send("@after")).status).toBe(200);
  });

  it("can be reset for one account", async () => {
    await send("@keeper");
    await send("@forgotten");
    await call("/_sim/reset", { platform: "telegram", account: "@forgotten" });
    expect([await ledger("@keeper"), await ledger("@forgotten")]).toMatchObject([[{ text: "x" }], []]);
  });

  it("can be removed for one account, without affecting the others", async () => {
    await addFault({ account: "@mended", do: "status" });
    await addFault({ account: "@broken", do: "status" });
    expect((await fetch(toUrl("/_sim/faults?account=@mended"), { method: "DELETE" })).status).toBe(204);
    expect([(await send("@mended")).status, (await send("@broken")).status]).toEqual([200, 500]);
    expect((await fetch(toUrl("/_sim/faults?acount=@mended"), { method: "DELETE" })).status).toBe(422);
  });

  it.each([
    ["x", "oauth2/token", "/x/2/oauth2/token"],
    ["linkedin", "accessToken", "/linkedin/oauth/v2/accessToken"],
    ["pinterest", "oauth/token", "/pinterest/v5/oauth/token"],
  ])(
    "of the token endpoint of %s apply to the account whose refresh token is renewed",
    async (platform, name, path) => {
      await addFault({ platform, call: name, account: "grantless", do: "status", status: 418 });
      const renew = async (account: string) => {
        const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: `refresh-for-${account}` });
        return (await fetch(toUrl(path), { method: "POST", body })).status;
      };
      expect(await renew("another")).not.toBe(418);
      expect(await renew("grantless")).toBe(418);
      expect(await renew("grantless")).not.toBe(418);
    },
  );

  it("leave no call hanging when the server closes", async () => {
    const otherSimulators = await startSimulators({ port: 0 });
    await fetch(`${otherSimulators.url}/_sim/faults`, {
      method: "POST",
      body: JSON.stringify({ platform: "telegram", call: "getMe", do: "timeout" }),
    });
    const hanging = fetch(`${otherSimulators.url}${bot}/getMe`).then(
      () => "answered",
      () => "broken",
    );
    await otherSimulators.close();
    expect(await hanging).toBe("broken");
  });
});

it("lets a user remove a post, and shows its text without interpreting it as markup", async () => {
  const bot = `/telegram/bot123456789:${"A".repeat(35)}`;
  await call(`${bot}/sendMessage`, { chat_id: "@removed", text: "<script>alert(1)</script>" });
  const [entry] = await ledger("@removed");
  const removed = await fetch(toUrl(`/_sim/posts/telegram/${encodeURIComponent(entry?.id ?? "")}`), {
    method: "DELETE",
  });
  expect(removed.status).toBe(204);
  expect((await ledger("@removed"))[0]?.deleted).toBe(true);
  const page = await (await fetch(toUrl("/"))).text();
  expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(page).not.toContain("<script>alert(1)");
});
