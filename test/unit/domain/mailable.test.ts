import { expect, it } from "vitest";
import { isMailable } from "../../../src/domain/mailable.ts";

it.each(["Analytical Engines", "Müller & Söhne", "A. Lovelace", "日本語", "Q4: plans (draft)", "x".repeat(100)])(
  "the name %j may appear in a mail to another person",
  (name) => expect(isMailable(name)).toBe(true),
);

it.each([
  "https://evil.example",
  "see evil.example",
  "www.evil",
  "EVIL.EXAMPLE/x",
  "mail a@b",
  "пример.рф",
  "a\u202eb",
  "a\tb",
  " ",
  "x".repeat(101),
])("the name %j must not appear in a mail to another person", (name) => expect(isMailable(name)).toBe(false));
