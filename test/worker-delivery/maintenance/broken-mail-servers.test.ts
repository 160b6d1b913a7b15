// A mail server may end the connection at any step, stay silent, or never finish its answer. Sending must fail at once.
import { expect, it } from "vitest";
import { createSmtpMail } from "../../../src/adapters/mail.ts";
import { letter } from "../../../src/domain/letter.ts";
import { testEnv } from "../../support/env.ts";

const URLS = testEnv.BROKEN_SMTP_URLS.split(" ");
const ANSWER_MS = 1_000;
/** The number of answers up to the acceptance of the mail. */
const ANSWERS_UNTIL_ACCEPTED = 7;

const send = (url: string | undefined) =>
  createSmtpMail(new URL(url ?? ""), "crier@example.com", ANSWER_MS)
    .send(letter("me@example.com", "A subject", ["A text"]))
    .then(
      () => "taken",
      (error: Error) => error.message,
    );

it.each(Array.from({ length: ANSWERS_UNTIL_ACCEPTED }, (_, answers) => answers))(
  "fails if the connection ends after %i answers",
  async (answers) => {
    expect(await send(URLS[answers])).toMatch(/connection|closed|reset/i);
  },
);

it("succeeds once the server has accepted the mail, however the connection ends", async () => {
  expect(await send(URLS[ANSWERS_UNTIL_ACCEPTED])).toBe("taken");
  expect(await send(URLS[ANSWERS_UNTIL_ACCEPTED + 1])).toBe("taken");
});

it("fails if the server stays silent or never finishes its answer", async () => {
  expect(await send(URLS[ANSWERS_UNTIL_ACCEPTED + 2])).toBe(
    "The connection had no answer from the mail server within 1 s.",
  );
  expect(await send(URLS[ANSWERS_UNTIL_ACCEPTED + 3])).toBe("The mail server does not come to an end.");
});

it("fails if no server is listening", async () => {
  expect(await send("smtp://127.0.0.1:1")).toMatch(/connect/);
});
