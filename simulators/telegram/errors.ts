/** A refusal with the network's own message; the prefix follows from the status. */
export class BotError extends Error {
  readonly status: number;
  constructor(status: 400 | 401 | 403 | 404 | 413, description: string) {
    const prefix = { 400: "Bad Request: ", 401: "", 403: "Forbidden: ", 404: "", 413: "" }[status];
    super(prefix + description);
    this.status = status;
  }
}
