import { expect, it } from "vitest";
import { cleanName, isShowable, readStrangerName, removeHidden } from "../../../src/domain/visible-name.ts";

it.each([
  ["  Ada \t Lovelace ", "Ada Lovelace"],
  ["A\u200bd\u202ea\u2066", "Ada"],
  ["\u3164\u115f\ufe0f\u{e0041}", ""],
  ["Ada\nLovelace", "Ada Lovelace"],
  ["Ame\u0301lie", "Amélie"],
  ["Team ❤️ 👩‍💻 🏴󠁧󠁢󠁳󠁣󠁴󠁿 1️⃣", "Team ❤️ 👩‍💻 🏴󠁧󠁢󠁳󠁣󠁴󠁿 1️⃣"],
  ["می‌خواهم", "می‌خواهم"],
  ["a\u200cb", "ab"],
])("cleanName reduces %j to its visible characters: %j", (name, visible) => {
  expect(cleanName(name)).toBe(visible);
  expect(cleanName(visible)).toBe(visible);
});

it.each([
  ["Ada", "Ada"],
  ["Ассистент 助手 🚀", "Ассистент 助手 🚀"],
  ["ChatGPT 助手", "ChatGPT 助手"],
  ["𝗔nthropic", "Anthropic"],
  ["Ａｐｐｌｅ", "Apple"],
  ["Ada\u200b", "Ada"],
  ["Аda", null],
  ["Сlaude", null],
  ["раураӏ", "раураӏ (Cyrillic)"],
  ["Вера", "Вера (Cyrillic)"],
  ["Ёсһо 2", "Ёсһо 2 (Cyrillic)"],
  ["ѡор", "ѡор (Cyrillic)"],
  ["Вера Иванова", "Вера Иванова"],
  ["Άννα", "Άννα (Greek)"],
  ["Δέσποινα", "Δέσποινα"],
  ["օսо", null],
  ["Սօ", "Սօ (Armenian)"],
  ["Պետրոս", "Պետրոս"],
  ["2026", "2026"],
  ["Ada Αlpha", null],
  ["Crier Бот", null],
  ["\u3164", null],
  [" ", null],
])("the name %j of an unknown app is shown as %j", (name, expected) => expect(readStrangerName(name)).toBe(expected));

it.each([
  ["Claude", true],
  ["Ассистент 助手 🚀", true],
  ["", false],
  [" ", false],
  ["a\u200bb", false],
  ["a\u202eb", false],
  ["a\u0000b", false],
  ["a\nb", false],
  ["a\u2028b", false],
  ["a\u3164b", false],
  ["a\u034fb", false],
  ["\ud800", false],
])("whether the name %j can be shown: %j", (name, expected) => expect(isShowable(name)).toBe(expected));

it("isShowable gives the same result in repeated calls", () => {
  for (let times = 0; times < 3; times++) expect([isShowable("a\u200bb"), isShowable("ab")]).toEqual([false, true]);
  expect(removeHidden("a\u200bb\u3164")).toBe("ab");
});
