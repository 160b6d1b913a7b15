// A webhook endpoint that acknowledges everything.
import { createServer, type Server } from "node:http";

export async function startReceiver(port: number) {
  const received = { count: 0 };
  const server: Server = createServer((request, response) => {
    request.resume();
    received.count++;
    response.end("ok");
  });
  await new Promise<void>((listening) => server.listen(port, "localhost", listening));
  return {
    get count() {
      return received.count;
    },
    close: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
