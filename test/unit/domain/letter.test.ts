import { expect, it } from "vitest";
import { letter } from "../../../src/domain/letter.ts";

it("a letter has every paragraph in both parts, and text by users is never markup", () => {
  const link = 'https://crier.test/x?a=1&b="2"';
  const mail = letter("ada@example.com", "News", ['<img src=x> & "q"\nsecond line', { link }]);
  expect(mail).toEqual({
    to: "ada@example.com",
    subject: "News",
    text: `<img src=x> & "q"\nsecond line\n\n${link}\n`,
    html:
      "<p>&lt;img src=x&gt; &amp; &quot;q&quot;<br>second line</p>" +
      '<p><a href="https://crier.test/x?a=1&amp;b=&quot;2&quot;">https://crier.test/x?a=1&amp;b=&quot;2&quot;</a></p>',
  });
});

it("a letter's subject is one short line, whatever text it contains", () => {
  expect(letter("ada@example.com", "🎉".repeat(200), ["x"]).subject).toBe(`${"🎉".repeat(77)}…`);
  expect(letter("ada@example.com", "Press\r\nBcc: eve@example.com\0", ["x"]).subject).toBe(
    "Press Bcc: eve@example.com",
  );
});
