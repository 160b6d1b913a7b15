// Records which delivery the code works on. The functions that work on a delivery or a channel are wrapped when they are loaded
// (planting.ts), and every call of a port that they make carries their subject.
import { AsyncLocalStorage } from "node:async_hooks";
import { type Injection, into } from "./planting.ts";

/** The delivery or channel that a call of a port is made for. `post` null: the channel as a whole. */
export interface Subject {
  post: string | null;
  channel: string;
}

const subjects = new AsyncLocalStorage<Subject>();
/** The delivery or channel that the running code works on; null: none, or several deliveries. */
export const readSubject = (): Subject | null => subjects.getStore() ?? null;

const deliver = into<typeof import("../../src/delivery/deliver.ts")>("src/delivery/deliver.ts");
const preflight = into<typeof import("../../src/follow-up/preflight.ts")>("src/follow-up/preflight.ts");
const renew = into<typeof import("../../src/follow-up/renew-credential.ts")>("src/follow-up/renew-credential.ts");
const afterPublish = into<typeof import("../../src/follow-up/after-publish.ts")>("src/follow-up/after-publish.ts");

interface Due {
  delivery: { postId: string };
  channel: { id: string };
}
const getSubject = ({ delivery, channel }: Due): Subject => ({ post: delivery.postId, channel: channel.id });

/** The wrappers, planted in every run. */
export const OBSERVERS: readonly Injection[] = [
  deliver(
    "deliver",
    (call) =>
      (tools, due, ...rest) =>
        subjects.run(getSubject(due), call, tools, due, ...rest),
  ),
  deliver("giveUp", (call) => (tools, due) => subjects.run(getSubject(due), call, tools, due)),
  deliver("proveLive", (call) => (tools, due, live) => subjects.run(getSubject(due), call, tools, due, live)),
  preflight(
    "preflight",
    (call) => (tools, lane, task) => subjects.run({ post: null, channel: task.channel }, call, tools, lane, task),
  ),
  renew(
    "renewCredential",
    (call) => (tools, lane, channel) => subjects.run({ post: null, channel }, call, tools, lane, channel),
  ),
  afterPublish(
    "workAfterPublish",
    (call) => (tools, lane, task) => subjects.run({ post: null, channel: task.channel }, call, tools, lane, task),
  ),
];
