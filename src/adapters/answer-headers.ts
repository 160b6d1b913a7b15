/** The headers of every answer. `now`: epoch milliseconds. */
export function answerHeaders(baseUrl: string, requestId: string, now: number): Record<string, string> {
  return {
    "X-Request-Id": requestId,
    // Lets a client measure how far its own clock is off.
    Date: new Date(now).toUTCString(),
    "X-Content-Type-Options": "nosniff",
    ...(baseUrl.startsWith("https:") ? { "Strict-Transport-Security": "max-age=31536000" } : {}),
  };
}
