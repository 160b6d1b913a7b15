// An IPv6 subscriber has 65,536 networks of 64 bits, and a provider more, so sign-in tries are counted for wider networks, too.
import { expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { limitTries } from "../../src/operations/rate-limit.ts";
import { testEnv } from "../support/env.ts";

const makeGroup = () => (1 + Math.floor(Math.random() * 0xfffe)).toString(16);
const tryFrom = (address: string) =>
  limitTries(
    compose(testEnv, () => {}, { address }),
    { address: "login_address" },
  );

it("sign-in tries from many networks of 64 bits are limited by the network of 48 bits around them", async () => {
  const provider = `2001:${makeGroup()}`;
  const site = `${provider}:1`;
  for (let i = 0; i < 200; i++) await tryFrom(`${site}:${i.toString(16)}::1`);
  await expect(tryFrom(`${site}:ffff::1`)).rejects.toMatchObject({ code: "rate_limited" });
  // Another site of the same provider is not limited.
  await expect(tryFrom(`${provider}:2::1`)).resolves.toBeUndefined();
});
