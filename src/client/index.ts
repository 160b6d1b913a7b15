// A client of Crier for programs. It uses only fetch, and runs in Node, browsers and Workers.
export type { Calls, Code, RefusalBody, WebhookEventName } from "./calls.ts";
export {
  type Answer,
  type Body,
  type CallInput,
  type CallName,
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type Query,
  type Reply,
  type StreamName,
} from "./client.ts";
export { CrierError, NoAnswer, Refusal } from "./errors.ts";
export {
  type Event,
  type ExportedLine,
  events,
  everyItem,
  exported,
  type Feed,
  type FeedOptions,
  finished,
  type Post,
} from "./pages.ts";
export { type PartLimit, splitIntoThread } from "./thread.ts";
export { type Progress, upload } from "./upload.ts";
export { verifyWebhook, type WebhookEvent, WebhookInvalid } from "./webhook.ts";
