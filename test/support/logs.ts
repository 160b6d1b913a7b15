// What is logged while a test runs: kept for the test, and off the screen.
import { onTestFinished, vi } from "vitest";

/** Collects the lines that are logged from now to the end of the test, with the level of each. */
export function collectLogs(): { level: string; event: string; [field: string]: unknown }[] {
  const lines: { level: string; event: string }[] = [];
  for (const level of ["info", "warn", "error"] as const) {
    const spy = vi.spyOn(console, level).mockImplementation((line) => {
      lines.push({ level, ...JSON.parse(String(line)) });
    });
    onTestFinished(() => spy.mockRestore());
  }
  return lines;
}
