// Every command, in the order in which a new user needs them.
import type { AnyCommand } from "./command.ts";
import { analytics } from "./commands/analytics.ts";
import { approve, decline } from "./commands/approve.ts";
import { audit } from "./commands/audit.ts";
import { cancel } from "./commands/cancel.ts";
import { channelGroups } from "./commands/channel-groups.ts";
import { channels } from "./commands/channels.ts";
import { comments } from "./commands/comments.ts";
import { completeCommand, completion } from "./commands/completion.ts";
import { doctor } from "./commands/doctor.ts";
import { edit } from "./commands/edit.ts";
import { editLive } from "./commands/edit-live.ts";
import { events } from "./commands/events.ts";
import { exportAll } from "./commands/export.ts";
import { feeds } from "./commands/feeds.ts";
import { importFile } from "./commands/import.ts";
import { keys } from "./commands/keys.ts";
import { labels } from "./commands/labels.ts";
import { login, logout } from "./commands/login.ts";
import { media } from "./commands/media.ts";
import { plan } from "./commands/plan.ts";
import { platforms } from "./commands/platforms.ts";
import { portals } from "./commands/portals.ts";
import { post } from "./commands/post.ts";
import { posts } from "./commands/posts.ts";
import { receipt, verify } from "./commands/receipt.ts";
import { repeat } from "./commands/repeat.ts";
import { report } from "./commands/report.ts";
import { retry } from "./commands/retry.ts";
import { reviewLink } from "./commands/review-link.ts";
import { slots } from "./commands/slots.ts";
import { snippets } from "./commands/snippets.ts";
import { status } from "./commands/status.ts";
import { takeDown } from "./commands/take-down.ts";
import { webhooks } from "./commands/webhooks.ts";

export const COMMANDS: AnyCommand[] = [
  login,
  channels,
  channelGroups,
  post,
  status,
  posts,
  edit,
  media,
  comments,
  labels,
  feeds,
  snippets,
  slots,
  importFile,
  exportAll,
  approve,
  decline,
  reviewLink,
  portals,
  cancel,
  retry,
  repeat,
  editLive,
  takeDown,
  receipt,
  verify,
  events,
  webhooks,
  analytics,
  report,
  platforms,
  plan,
  keys,
  audit,
  doctor,
  logout,
  completion,
  completeCommand(() => COMMANDS),
];
