// Signing in from the command line, with a second step if the account has a second factor.
import { afterEach, expect, it } from "vitest";
import { makeClient } from "../../../cli/api/client.ts";
import { beginSession } from "../../../cli/person.ts";
import { json, type Service, startService } from "./service.ts";

const PERSON = { email: "ada@example.com", password: "correct horse battery" };
let service: Service;
afterEach(() => service.close());

/** Starts a service whose account has a second factor if `isProtected`. */
async function start(isProtected: boolean): Promise<ReturnType<typeof makeClient>> {
  service = await startService((response, { path }) => {
    if (path === "/v1/auth/login" && isProtected) {
      return json(response, 401, { error: "factor_required", message: "Show it.", challenge: "factor_x" });
    }
    json(response, 200, { token: path });
  });
  return makeClient({ url: service.url, key: null, signal: new AbortController().signal });
}
const getCalls = () => service.calls.map(({ path, body }) => [path, JSON.parse(body)]);

it("no code is requested if the account has no second factor", async () => {
  const client = await start(false);
  expect(await beginSession(client, PERSON, () => expect.fail("asked"))).toBe("/v1/auth/login");
  expect(getCalls()).toEqual([["/v1/auth/login", PERSON]]);
});

it.each([
  ["123456", { code: "123456" }],
  ["abcd-efgh-ijkl-mnop", { recovery_code: "abcd-efgh-ijkl-mnop" }],
])("%s is sent as the kind of code that it looks like", async (typed, codeFields) => {
  const client = await start(true);
  expect(await beginSession(client, PERSON, async () => typed)).toBe("/v1/auth/login/factor");
  expect(getCalls()[1]).toEqual(["/v1/auth/login/factor", { challenge: "factor_x", ...codeFields }]);
});

it("a wrong password fails the sign-in", async () => {
  service = await startService((response) =>
    json(response, 401, { error: "invalid_credentials", message: "The email or the password is wrong." }),
  );
  const client = makeClient({ url: service.url, key: null, signal: new AbortController().signal });
  await expect(beginSession(client, PERSON, () => expect.fail("asked"))).rejects.toThrow("password is wrong");
});
