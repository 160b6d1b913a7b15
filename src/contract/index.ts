// Every operation by name. REST, MCP, the CLI, the dashboard and the OpenAPI document are generated from this list.
import * as accountKeys from "./account-keys.ts";
import * as accounts from "./accounts.ts";
import * as analytics from "./analytics.ts";
import * as approvals from "./approvals.ts";
import * as audit from "./audit.ts";
import { bulkPosts } from "./bulk-posts.ts";
import * as channelGroups from "./channel-groups.ts";
import { channelOptions } from "./channel-options.ts";
import * as channels from "./channels.ts";
import * as comments from "./comments.ts";
import * as connections from "./connections.ts";
import * as deliveries from "./deliveries.ts";
import * as events from "./events.ts";
import { exportWorkspace, postsTable } from "./export.ts";
import * as factors from "./factors.ts";
import * as feeds from "./feeds.ts";
import * as health from "./health.ts";
import { importPosts } from "./import-posts.ts";
import * as keys from "./keys.ts";
import * as labels from "./labels.ts";
import { listPosts } from "./list-posts.ts";
import * as media from "./media.ts";
import * as members from "./members.ts";
import * as notifications from "./notifications.ts";
import { setPlan } from "./operator.ts";
import * as ownAccount from "./own-account.ts";
import * as ownWorkspaces from "./own-workspaces.ts";
import * as platforms from "./platforms.ts";
import * as portals from "./portals.ts";
import * as posts from "./posts.ts";
import { getReceipt } from "./receipts.ts";
import { createReport } from "./reports.ts";
import * as reviewLinks from "./review-links.ts";
import * as slots from "./slots.ts";
import * as snippets from "./snippets.ts";
import * as status from "./status.ts";
import * as usage from "./usage.ts";
import * as webhooks from "./webhooks.ts";
import * as workspaces from "./workspaces.ts";

export const operations = {
  "accounts.sign-up": accounts.signUp,
  "accounts.sign-in": accounts.signIn,
  "accounts.sign-out": accounts.signOut,
  "accounts.me": accounts.me,
  "accounts.erase": accounts.erase,
  "accounts.forgot": accounts.forgot,
  "accounts.reset": accounts.reset,
  "accounts.methods": accounts.methods,
  "accounts.verify": ownAccount.verify,
  "accounts.send-verification": ownAccount.sendVerification,
  "accounts.rename": ownAccount.rename,
  "accounts.change-password": ownAccount.changePassword,
  "accounts.change-email": ownAccount.changeEmail,
  "accounts.sessions": ownAccount.listSessions,
  "accounts.end-session": ownAccount.endSession,
  "accounts.sign-in-with-factor": factors.signInWithFactor,
  "account-keys.list": accountKeys.listAccountKeys,
  "account-keys.create": accountKeys.createAccountKey,
  "account-keys.revoke": accountKeys.revokeAccountKey,
  "factors.list": factors.listFactors,
  "factors.add": factors.addFactor,
  "factors.confirm": factors.confirmFactor,
  "factors.remove": factors.removeFactor,
  "factors.renew-recovery-codes": factors.renewRecoveryCodes,
  "factors.prove": factors.proveFactor,
  "notifications.read": notifications.readNotifications,
  "notifications.set": notifications.setNotifications,
  "workspaces.list": ownWorkspaces.listWorkspaces,
  "workspaces.create": ownWorkspaces.createWorkspace,
  "workspaces.allowance": ownWorkspaces.allowance,
  "workspaces.current": workspaces.currentWorkspace,
  "workspaces.get": workspaces.getWorkspace,
  "workspaces.set-timezone": workspaces.setTimezone,
  "workspaces.rotate-key": workspaces.rotateKey,
  "workspaces.reveal-key": workspaces.revealKey,
  "workspaces.rename": workspaces.renameWorkspace,
  "workspaces.take-ownership": ownWorkspaces.takeOwnership,
  "workspaces.delete": ownWorkspaces.deleteWorkspace,
  "workspaces.export": exportWorkspace,
  "audit.list": audit.listAudit,
  "audit.csv": audit.auditTable,
  "keys.list": keys.listKeys,
  "keys.create": keys.createKey,
  "keys.change": keys.changeKey,
  "keys.revoke": keys.revokeKey,
  "members.list": members.listMembers,
  "members.invite": members.invite,
  "members.change-role": members.changeRole,
  "members.remove": members.removeMember,
  "members.reset-factors": members.resetFactors,
  "members.withdraw-invitation": members.withdrawInvitation,
  "invitations.list": members.listInvitations,
  "invitations.accept": members.acceptInvitation,
  "invitations.decline": members.declineInvitation,
  "connections.list": connections.listConnections,
  "connections.end": connections.endConnection,
  "channels.list": channels.listChannels,
  "channels.get": channels.getChannel,
  "channels.options": channelOptions,
  "channels.connect": channels.connectChannel,
  "channels.start-connect": channels.startConnect,
  "channels.disconnect": channels.disconnectChannel,
  "channels.requests": channels.listConnectorRequests,
  "channels.request-connector": channels.requestConnector,
  "webhooks.create": webhooks.createWebhook,
  "webhooks.list": webhooks.listWebhooks,
  "webhooks.change": webhooks.changeWebhook,
  "webhooks.remove": webhooks.removeWebhook,
  "webhooks.attempts": webhooks.listAttempts,
  "webhooks.test": webhooks.testWebhook,
  "webhooks.rotate-secret": webhooks.rotateSecret,
  "webhooks.redeliver": webhooks.redeliver,
  "usage.read": usage.readUsage,
  "operator.set-plan": setPlan,
  "usage.read-account": usage.readAccountUsage,
  "portals.list": portals.listPortals,
  "portals.create": portals.createPortal,
  "portals.change": portals.changePortal,
  "portals.remove": portals.removePortal,
  "portals.open": portals.openPortal,
  "portals.decide": portals.decideInPortal,
  "portals.comment": portals.commentInPortal,
  "analytics.read": analytics.readAnalytics,
  "analytics.posts": analytics.postsByFigure,
  "analytics.days": analytics.figuresByDay,
  "analytics.channels": analytics.figuresByChannel,
  "reports.create": createReport,
  "platforms.list": platforms.listPlatforms,
  "posts.create": posts.createPost,
  "posts.list": listPosts,
  "posts.get": posts.getPost,
  "posts.update": posts.updatePost,
  "posts.remove": posts.removePost,
  "posts.stop-repeat": posts.stopRepeat,
  "posts.import": importPosts,
  "posts.bulk": bulkPosts,
  "posts.csv": postsTable,
  "posts.approve": approvals.approvePost,
  "posts.decline": approvals.declinePost,
  "posts.decision": approvals.readDecision,
  "posts.create-review-link": reviewLinks.createReviewLink,
  "posts.end-review-link": reviewLinks.endReviewLink,
  "posts.receipt": getReceipt,
  "posts.labels": labels.listLabels,
  "posts.retry-delivery": deliveries.retryDelivery,
  "posts.take-down": deliveries.takeDown,
  "posts.edit-live-text": deliveries.editLiveText,
  "slots.read": slots.readSlots,
  "slots.set": slots.setSlots,
  "slots.next": slots.nextSlots,
  "comments.list": comments.listComments,
  "comments.create": comments.createComment,
  "channel-groups.list": channelGroups.listChannelGroups,
  "channel-groups.create": channelGroups.createChannelGroup,
  "channel-groups.change": channelGroups.changeChannelGroup,
  "channel-groups.remove": channelGroups.removeChannelGroup,
  "feeds.list": feeds.listFeeds,
  "feeds.create": feeds.createFeed,
  "feeds.change": feeds.changeFeed,
  "feeds.remove": feeds.removeFeed,
  "snippets.list": snippets.listSnippets,
  "snippets.create": snippets.createSnippet,
  "snippets.change": snippets.changeSnippet,
  "snippets.remove": snippets.removeSnippet,
  "events.list": events.listEvents,
  "media.request-upload": media.requestUpload,
  "media.request-chunked-upload": media.requestChunkedUpload,
  "media.request-chunk-addresses": media.requestChunkAddresses,
  "media.complete-upload": media.completeUpload,
  "media.abort-upload": media.abortUpload,
  "media.register": media.registerMedia,
  "media.list": media.listMedia,
  "media.get": media.getMedia,
  "media.describe": media.describeMedia,
  "media.remove": media.removeMedia,
  "health.read": health.readHealth,
  "status.read": status.readStatus,
} as const;

export type OperationName = keyof typeof operations;
