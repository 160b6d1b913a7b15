// A mail server may end the connection at any step of the dialogue, say nothing, or never come to an end: the mail fails, at once.
import { expect, it } from "vitest";
import { createSmtpMail } from "../../../src/adapters/mail.ts";
import { letter } from "../../../src/domain/letter.ts";
import { testEnv } from "../../support/env.ts";

const URLS = testEnv.BROKEN_SMTP_URLS.split(" ");
const ANSWER_MS = 1_000;
/** The answers until the server has taken the mail. */
const TAKEN = 7;

const send = (url: string | undefined) =>
  createSmtpMail(new URL(url ?? ""), "crier@example.com", ANSWER_MS)
    .send(letter("me@example.com", "A subject", ["A text"]))
    .then(
      () => "taken",
      (error: Error) => error.message,
    );

it.each(Array.from({ length: TAKEN }, (_, answers) => answers))(
  "fails where the connection ends after %i answers",
  async (answers) => {
    expect(await send(URLS[answers])).toMatch(/connection|closed|reset/i);
  },
);

it("is taken once the server said so, however the connection ends", async () => {
  expect(await send(URLS[TAKEN])).toBe("taken");
  expect(await send(URLS[TAKEN + 1])).toBe("taken");
});

it("fails where the server says nothing, or never comes to an end", async () => {
  expect(await send(URLS[TAKEN + 2])).toBe("The connection had no answer from the mail server within 1 s.");
  expect(await send(URLS[TAKEN + 3])).toBe("The mail server does not come to an end.");
});

it("fails where nobody listens", async () => {
  expect(await send("smtp://127.0.0.1:1")).toMatch(/connect/);
});
