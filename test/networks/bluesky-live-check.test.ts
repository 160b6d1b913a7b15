// The sign-in of a live check at Bluesky: a client on the person's own machine, which has no key and no installation.
import { expect, it } from "vitest";
import { bluesky } from "../../src/networks/bluesky/index.ts";
import { makeLoopbackClient } from "../live/loopback-client.ts";
import { signInByConsent } from "../live/sign-in.ts";
import { makeIO, prepareOnce, publication, signIn } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

it("connects the account whose owner allows it in a browser, and its tokens publish and are renewed", async () => {
  const { handle } = await signIn(simulators);
  const client = makeLoopbackClient(bluesky.consentByHandle?.permissions ?? []);
  const io = { ...makeIO(simulators, "bluesky"), client };
  const account = await signInByConsent(bluesky, io, { BLUESKY_IDENTIFIER: handle }, async (question) => {
    const [, address = ""] = /(http\S+)/.exec(question) ?? [];
    const answer = await fetch(`${address}&decision=allow`, { redirect: "manual" });
    return answer.headers.get("location") ?? "";
  });
  expect(account).toMatchObject({ handle, credential: { client_key: null } });
  const text = publication("from my own machine");
  const fresh = await bluesky.refresh?.({ credential: account.credential, io });
  if (fresh?.is !== "fresh") return expect.fail(JSON.stringify(fresh));
  const context = { credential: fresh.credential, io };
  const publishKey = await prepareOnce(bluesky, text, context);
  expect(await bluesky.publish(text, publishKey, context)).toMatchObject({ is: "live" });
});
