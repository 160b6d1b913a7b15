// An error code with its status and texts.

export interface CodeEntry {
  status: 401 | 402 | 403 | 404 | 405 | 409 | 412 | 413 | 422 | 429 | 500 | 503;
  message: string;
  hint?: string;
}

export const code = (status: CodeEntry["status"], message: string, hint?: string): CodeEntry => ({
  status,
  message,
  hint,
});
