// The simulator of X refuses what X's own description and its emulator refuse.
import { describe, expect, it } from "vitest";
import { call, useSimulators } from "./support/driver.ts";

useSimulators();

const headers = { authorization: "Bearer access-for-ada", "user-agent": "a test" };
const ask = (path: string) => call<{ data?: object[]; detail?: string }>(`/x/2/${path}`, undefined, headers);
const write = (text: string) => call<{ data: { id: string } }>("/x/2/tweets", { text }, headers);

describe("a look-up of posts", () => {
  it("takes up to a hundred ids of up to nineteen digits", async () => {
    const { id } = (await write("to be found")).body.data;
    expect((await ask(`tweets?ids=${id}`)).body.data).toMatchObject([{ id }]);
    for (const ids of ["", "abc", `${id},12345678901234567890`, Array(101).fill(id).join(",")]) {
      expect((await ask(`tweets?ids=${ids}`)).status, ids.slice(0, 40)).toBe(400);
    }
  });

  it("refuses a parameter that it does not know, and names it", async () => {
    const refused = await ask("tweets?ids=1&tweet_mode=extended");
    expect(refused).toMatchObject({ status: 400, body: { detail: expect.stringContaining("[tweet_mode]") } });
  });
});

describe("a timeline", () => {
  it("has as many posts as are asked for, and takes 5 to 100", async () => {
    for (let i = 0; i < 6; i++) await write(`one of six ${i}`);
    const { id } = Object((await call("/x/2/users/me", undefined, headers)).body).data;
    expect((await ask(`users/${id}/tweets?max_results=5`)).body.data).toHaveLength(5);
    for (const query of ["max_results=4", "max_results=101", "max_results=x", "count=5"])
      expect((await ask(`users/${id}/tweets?${query}`)).status, query).toBe(400);
  });
});
