// The channels of the last post, which the next new post begins with.

const getKey = (workspace: string) => `crier:channels:${workspace}`;

export function readLastChoice(workspace: string): string[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(getKey(workspace)) ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

export function rememberChoice(workspace: string, channels: readonly string[]): void {
  try {
    localStorage.setItem(getKey(workspace), JSON.stringify(channels));
  } catch {
    // Without browser storage the next post begins without channels.
  }
}
