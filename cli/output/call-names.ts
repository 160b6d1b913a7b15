/** The commands that do what calls of the REST API do. */
export const COMMANDS_OF_CALLS: ReadonlyMap<string, string> = new Map([
  ["GET /v1/channels", "crier channels"],
  ["POST /v1/channels", "crier channels connect"],
  ["POST /v1/channels/connect", "crier channels connect"],
  ["GET /v1/platforms", "crier platforms"],
  ["POST /v1/posts", "crier post"],
  ["GET /v1/posts/:id", "crier status"],
  ["PATCH /v1/posts/:id", "crier edit"],
  ["GET /v1/media", "crier media"],
  ["POST /v1/media", "crier media upload"],
  ["POST /v1/media/upload-url", "crier media upload"],
  ["PATCH /v1/media/:id", "crier media change"],
  ["GET /v1/slots", "crier slots"],
  ["GET /v1/slots/next", "crier slots"],
  ["PUT /v1/slots", "crier slots add"],
  ["GET /v1/webhooks", "crier webhooks"],
]);
