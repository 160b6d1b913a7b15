import { describe, expect, it } from "vitest";
import { findTypedMention, insertMention } from "../../../src/dashboard/compose/mention.ts";

describe("a mention that is being typed", () => {
  it.each([
    ["@", { start: 0, name: "" }],
    ["Hello @ali", { start: 6, name: "ali" }],
    ["(@bob.bsky", { start: 1, name: "bob.bsky" }],
    ["mail me at me@example", null],
    ["@[Acme](urn:li:organization:1)", null],
    ["@alice and", null],
    [`@${"a".repeat(61)}`, null],
  ])("is found at the end of %j", (text, mention) => {
    expect(findTypedMention(text, text.length)).toEqual(mention);
  });

  it("is replaced by the chosen account, with one space behind it", () => {
    const typed = { start: 3, name: "al" };
    expect(insertMention("Hi @al", typed, "@alice.test")).toEqual({ text: "Hi @alice.test ", cursor: 15 });
    expect(insertMention("Hi @al, you", typed, "@alice.test")).toEqual({ text: "Hi @alice.test, you", cursor: 14 });
    expect(insertMention("Hi @al you", typed, "@alice.test")).toEqual({ text: "Hi @alice.test you", cursor: 14 });
  });
});
