// Collects the log lines of a test and keeps them off the screen.
import { onTestFinished, vi } from "vitest";

/** Collects all lines that are logged until the end of the test, each with its level. */
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
