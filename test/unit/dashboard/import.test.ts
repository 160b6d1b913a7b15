// The file that remains when its valid rows are removed.
import { expect, it } from "vitest";
import { decoded, getLine, refusedOnly } from "../../../src/dashboard/import/rows.ts";

it("a CSV file keeps its header and whole rows, also those of several lines", () => {
  const file = 'text,channels\r\n"one\r\nmore",x\r\n"two\r\nmore",y\r\nthree,z\r\n';
  const rows = [
    { line: 2, valid: true },
    { line: 4, valid: false },
    { line: 6, valid: true },
  ];
  expect(refusedOnly(file, rows, true)).toBe('text,channels\n"two\nmore",y\n');
  expect(getLine(file, 6)).toBe("three,z");
});

it("a file of JSON lines keeps the lines that describe channels and files", () => {
  const file = '{"type":"channel"}\n{"a":1}\n{"type":"media"}\n{"b":1}\n';
  const rows = [
    { line: 2, valid: true },
    { line: 4, valid: false },
  ];
  expect(refusedOnly(file, rows, false)).toBe('{"type":"channel"}\n{"type":"media"}\n{"b":1}\n');
});

it("a file that is not UTF-8 is not decoded", () => {
  const bytes = new Uint8Array([0x66, 0xfc, 0x72]);
  expect(decoded(bytes)).toBeNull();
  expect(decoded(new TextEncoder().encode("f\u00fcr"))).toBe("f\u00fcr");
});
