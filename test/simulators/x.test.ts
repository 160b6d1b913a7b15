// X's simulator rejects the same calls as X's description and emulator.
import { describe, expect, it } from "vitest";
import { call, useSimulators } from "./support/driver.ts";

useSimulators();

const headers = { authorization: "Bearer access-for-ada", "user-agent": "a test" };
const ask = (path: string) => call<{ data?: object[] }>(`/x/2/${path}`, undefined, headers);
const write = (text: string) => call<{ data: { id: string } }>("/x/2/tweets", { text }, headers);

describe("reading posts from X's simulator", () => {
  it("allows up to a hundred ids of up to nineteen digits", async () => {
    const { id } = (await write("to be found")).body.data;
    expect((await ask(`tweets?ids=${id}`)).body.data).toMatchObject([{ id }]);
    for (const ids of ["", "abc", `${id},12345678901234567890`, Array(101).fill(id).join(",")]) {
      expect((await ask(`tweets?ids=${ids}`)).status, ids.slice(0, 40)).toBe(400);
    }
  });

  it("rejects an unknown parameter, and names it", async () => {
    const refused = await ask("tweets?ids=1&tweet_mode=extended");
    expect(refused).toMatchObject({
      status: 400,
      body: {
        errors: [{ parameters: { tweet_mode: ["extended"] }, message: expect.stringContaining("[tweet_mode]") }],
      },
    });
  });
});

describe("a timeline of X's simulator", () => {
  it("has the requested number of posts, between 5 and 100", async () => {
    for (let i = 0; i < 6; i++) await write(`one of six ${i}`);
    const { id } = Object((await call("/x/2/users/me", undefined, headers)).body).data;
    expect((await ask(`users/${id}/tweets?max_results=5`)).body.data).toHaveLength(5);
    for (const query of ["max_results=4", "max_results=101", "max_results=x", "count=5"])
      expect((await ask(`users/${id}/tweets?${query}`)).status, query).toBe(400);
  });

  it.each(["start_time", "end_time"])(
    "accepts a `%s` that X accepts, and names the value of any other",
    async (name) => {
      const { id } = Object((await call("/x/2/users/me", undefined, headers)).body).data;
      for (const time of ["2026-11-20T12:00:00Z", "2026-11-20T12:00:00.000Z", "2010-11-06T00:00:00Z"])
        expect((await ask(`users/${id}/tweets?${name}=${time}`)).status, time).toBe(200);
      const future = new Date(Date.now() + 5_000).toISOString();
      for (const time of [
        "",
        "yesterday",
        "2026-11-20",
        "2026-11-20 12:00",
        "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
      ]) {
        expect(await ask(`users/${id}/tweets?${name}=${encodeURIComponent(time)}`)).toEqual({
          status: 400,
          body: {
            errors: [{ parameters: { [name]: [time] }, message: expect.stringContaining(`[${time}]`) }],
            title: "Invalid Request",
            detail: "One or more parameters to your request was invalid.",
            type: "https://api.x.com/2/problems/invalid-request",
          },
        });
      }
      for (const [time, words] of [
        ["2006-03-21T00:00:00Z", "must be on or after 2010-11-06T00:00:00Z"],
        [future, "must be a minimum of 10 seconds prior to the request time."],
      ]) {
        const message = `Invalid '${name}':'${time}'. '${name}' ${words}`;
        const refused = await ask(`users/${id}/tweets?${name}=${time}`);
        expect(refused).toMatchObject({ status: 400, body: { errors: [{ message }] } });
      }
    },
  );
});
