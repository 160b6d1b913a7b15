import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { toAlarmTime } from "../../src/domain/alarm.ts";
import { files, root } from "./imports.ts";

it("toAlarmTime returns an instant in the future, in whole milliseconds", () => {
  expect([90, 100, 100.4, 101.2].map((dueAt) => toAlarmTime(dueAt, 100))).toEqual([101, 101, 101, 102]);
});

it("every object computes the time of its alarms with toAlarmTime", () => {
  const unchecked = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/\.setAlarm\((?!toAlarmTime\()/g)].map(() => file),
  );
  expect(unchecked).toEqual([]);
});
