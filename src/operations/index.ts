// Maps the name of each operation to its contract and its implementation. If an operation of the contract is missing here,
// the code does not compile.
import { type OperationName, operations } from "../contract/index.ts";
import { createAccountKey } from "./account-keys/create.ts";
import { listAccountKeys } from "./account-keys/list.ts";
import { revokeAccountKey } from "./account-keys/revoke.ts";
import { changeEmail } from "./accounts/change-email.ts";
import { changePassword } from "./accounts/change-password.ts";
import { erase } from "./accounts/erase.ts";
import { me } from "./accounts/me.ts";
import { methods } from "./accounts/methods.ts";
import { readNotifications, setNotifications } from "./accounts/notifications.ts";
import { rename } from "./accounts/rename.ts";
import { forgot } from "./accounts/request-password-reset.ts";
import { reset } from "./accounts/reset.ts";
import { endSession, listSessions } from "./accounts/sessions.ts";
import { signIn } from "./accounts/sign-in.ts";
import { signOut } from "./accounts/sign-out.ts";
import { signUp } from "./accounts/sign-up.ts";
import { sendVerification, verify } from "./accounts/verify.ts";
import { figuresByChannel } from "./analytics/channels.ts";
import { figuresByDay } from "./analytics/days.ts";
import { postsByFigure } from "./analytics/posts.ts";
import { readAnalytics } from "./analytics/read.ts";
import { listAudit } from "./audit/list.ts";
import { auditTable } from "./audit/table.ts";
import { listChannelGroups } from "./channel-groups/list.ts";
import { changeChannelGroup, createChannelGroup, removeChannelGroup } from "./channel-groups/write.ts";
import { connectChannel } from "./channels/connect.ts";
import { listConnectorRequests, requestConnector } from "./channels/connector-requests.ts";
import { disconnectChannel } from "./channels/disconnect.ts";
import { getChannel } from "./channels/get.ts";
import { listChannels } from "./channels/list.ts";
import { channelOptions } from "./channels/options.ts";
import { startConnect } from "./channels/start-connect.ts";
import { listEvents } from "./events/list.ts";
import { postsTable } from "./export/posts-table.ts";
import { exportWorkspace } from "./export/workspace.ts";
import { addFactor } from "./factors/add.ts";
import { confirmFactor } from "./factors/confirm.ts";
import { listFactors } from "./factors/list.ts";
import { proveFactor, signInWithFactor } from "./factors/prove.ts";
import { renewRecoveryCodes } from "./factors/recovery-codes.ts";
import { removeFactor } from "./factors/remove.ts";
import { listFeeds } from "./feeds/list.ts";
import { changeFeed, createFeed, removeFeed } from "./feeds/write.ts";
import { readHealth } from "./health.ts";
import { changeKey } from "./keys/change.ts";
import { createKey } from "./keys/create.ts";
import { listKeys } from "./keys/list.ts";
import { revokeKey } from "./keys/revoke.ts";
import { abortUpload } from "./media/abort-upload.ts";
import { completeUpload } from "./media/complete-upload.ts";
import { describeMedia } from "./media/describe.ts";
import { getMedia } from "./media/get.ts";
import { listMedia } from "./media/list.ts";
import { registerMedia } from "./media/register.ts";
import { removeMedia } from "./media/remove.ts";
import { requestChunkAddresses } from "./media/request-chunk-addresses.ts";
import { requestChunkedUpload } from "./media/request-chunked-upload.ts";
import { requestUpload } from "./media/request-upload.ts";
import { acceptInvitation, declineInvitation, listInvitations } from "./members/answer.ts";
import { changeRole } from "./members/change-role.ts";
import { invite, withdrawInvitation } from "./members/invite.ts";
import { listMembers } from "./members/list.ts";
import { removeMember } from "./members/remove.ts";
import { resetFactors } from "./members/reset-factors.ts";
import { endConnection, listConnections } from "./oauth/connections.ts";
import { setPlan } from "./operator/set-plan.ts";
import { listPlatforms } from "./platforms/list.ts";
import { changePortal, createPortal, listPortals, removePortal } from "./portals/manage.ts";
import { commentInPortal, decideInPortal, openPortal } from "./portals/visit.ts";
import { approvePost } from "./posts/approve.ts";
import { bulkPosts } from "./posts/bulk.ts";
import { createComment, listComments } from "./posts/comments.ts";
import { createPost } from "./posts/create.ts";
import { readDecision } from "./posts/decision.ts";
import { declinePost } from "./posts/decline.ts";
import { editLiveText } from "./posts/edit-live-text.ts";
import { getPost } from "./posts/get.ts";
import { importPosts } from "./posts/import/import.ts";
import { listLabels } from "./posts/labels.ts";
import { listPosts } from "./posts/list.ts";
import { getReceipt } from "./posts/receipt.ts";
import { removePost } from "./posts/remove.ts";
import { retryDelivery } from "./posts/retry-delivery.ts";
import { createReviewLink, endReviewLink } from "./posts/review-link.ts";
import { stopRepeat } from "./posts/stop-repeat.ts";
import { takeDown } from "./posts/take-down.ts";
import { updatePost } from "./posts/update.ts";
import { createReport } from "./reports/create.ts";
import { bind, bindStream, type Handler } from "./run.ts";
import { nextSlots } from "./slots/next.ts";
import { readSlots } from "./slots/read.ts";
import { setSlots } from "./slots/set.ts";
import { listSnippets } from "./snippets/list.ts";
import { changeSnippet, createSnippet, removeSnippet } from "./snippets/write.ts";
import { readStatus } from "./status.ts";
import { readUsage } from "./usage/read.ts";
import { readAccountUsage } from "./usage/read-account.ts";
import { changeWebhook } from "./webhooks/change.ts";
import { createWebhook } from "./webhooks/create.ts";
import { listAttempts, listWebhooks } from "./webhooks/list.ts";
import { removeWebhook } from "./webhooks/remove.ts";
import { rotateSecret } from "./webhooks/rotate-secret.ts";
import { redeliver, testWebhook } from "./webhooks/test-webhook.ts";
import { allowance } from "./workspaces/allowance.ts";
import { createWorkspace } from "./workspaces/create.ts";
import { currentWorkspace, readWorkspace } from "./workspaces/current.ts";
import { deleteWorkspace } from "./workspaces/delete.ts";
import { listWorkspaces } from "./workspaces/list.ts";
import { renameWorkspace } from "./workspaces/rename.ts";
import { revealKey } from "./workspaces/reveal-key.ts";
import { rotateKey } from "./workspaces/rotate-key.ts";
import { setTimezone } from "./workspaces/set-timezone.ts";
import { takeOwnership } from "./workspaces/take-ownership.ts";

export const handlers: Record<OperationName, Handler> = {
  "accounts.sign-up": bind(operations["accounts.sign-up"], signUp),
  "accounts.sign-in": bind(operations["accounts.sign-in"], signIn),
  "accounts.sign-out": bind(operations["accounts.sign-out"], signOut),
  "accounts.me": bind(operations["accounts.me"], me),
  "workspaces.current": bind(operations["workspaces.current"], currentWorkspace),
  "workspaces.get": bind(operations["workspaces.get"], readWorkspace),
  "workspaces.reveal-key": bind(operations["workspaces.reveal-key"], revealKey),
  "channels.list": bind(operations["channels.list"], listChannels),
  "channels.get": bind(operations["channels.get"], getChannel),
  "channels.options": bind(operations["channels.options"], channelOptions),
  "channels.connect": bind(operations["channels.connect"], connectChannel),
  "channels.start-connect": bind(operations["channels.start-connect"], startConnect),
  "channels.disconnect": bind(operations["channels.disconnect"], disconnectChannel),
  "accounts.erase": bind(operations["accounts.erase"], erase),
  "accounts.forgot": bind(operations["accounts.forgot"], forgot),
  "accounts.reset": bind(operations["accounts.reset"], reset),
  "accounts.methods": bind(operations["accounts.methods"], methods),
  "accounts.verify": bind(operations["accounts.verify"], verify),
  "accounts.send-verification": bind(operations["accounts.send-verification"], sendVerification),
  "accounts.rename": bind(operations["accounts.rename"], rename),
  "accounts.change-password": bind(operations["accounts.change-password"], changePassword),
  "accounts.change-email": bind(operations["accounts.change-email"], changeEmail),
  "accounts.sessions": bind(operations["accounts.sessions"], listSessions),
  "accounts.end-session": bind(operations["accounts.end-session"], endSession),
  "accounts.sign-in-with-factor": bind(operations["accounts.sign-in-with-factor"], signInWithFactor),
  "account-keys.list": bind(operations["account-keys.list"], listAccountKeys),
  "account-keys.create": bind(operations["account-keys.create"], createAccountKey),
  "account-keys.revoke": bind(operations["account-keys.revoke"], revokeAccountKey),
  "factors.list": bind(operations["factors.list"], listFactors),
  "factors.add": bind(operations["factors.add"], addFactor),
  "factors.confirm": bind(operations["factors.confirm"], confirmFactor),
  "factors.remove": bind(operations["factors.remove"], removeFactor),
  "factors.renew-recovery-codes": bind(operations["factors.renew-recovery-codes"], renewRecoveryCodes),
  "factors.prove": bind(operations["factors.prove"], proveFactor),
  "notifications.read": bind(operations["notifications.read"], readNotifications),
  "notifications.set": bind(operations["notifications.set"], setNotifications),
  "workspaces.list": bind(operations["workspaces.list"], listWorkspaces),
  "workspaces.create": bind(operations["workspaces.create"], createWorkspace),
  "workspaces.allowance": bind(operations["workspaces.allowance"], allowance),
  "workspaces.set-timezone": bind(operations["workspaces.set-timezone"], setTimezone),
  "workspaces.rotate-key": bind(operations["workspaces.rotate-key"], rotateKey),
  "workspaces.rename": bind(operations["workspaces.rename"], renameWorkspace),
  "workspaces.take-ownership": bind(operations["workspaces.take-ownership"], takeOwnership),
  "workspaces.delete": bind(operations["workspaces.delete"], deleteWorkspace),
  "workspaces.export": bindStream(operations["workspaces.export"], exportWorkspace),
  "audit.list": bind(operations["audit.list"], listAudit),
  "audit.csv": bindStream(operations["audit.csv"], auditTable),
  "keys.list": bind(operations["keys.list"], listKeys),
  "keys.create": bind(operations["keys.create"], createKey),
  "keys.change": bind(operations["keys.change"], changeKey),
  "keys.revoke": bind(operations["keys.revoke"], revokeKey),
  "members.list": bind(operations["members.list"], listMembers),
  "members.invite": bind(operations["members.invite"], invite),
  "members.change-role": bind(operations["members.change-role"], changeRole),
  "members.remove": bind(operations["members.remove"], removeMember),
  "members.reset-factors": bind(operations["members.reset-factors"], resetFactors),
  "members.withdraw-invitation": bind(operations["members.withdraw-invitation"], withdrawInvitation),
  "invitations.list": bind(operations["invitations.list"], listInvitations),
  "invitations.accept": bind(operations["invitations.accept"], acceptInvitation),
  "invitations.decline": bind(operations["invitations.decline"], declineInvitation),
  "connections.list": bind(operations["connections.list"], listConnections),
  "connections.end": bind(operations["connections.end"], endConnection),
  "channels.requests": bind(operations["channels.requests"], listConnectorRequests),
  "channels.request-connector": bind(operations["channels.request-connector"], requestConnector),
  "portals.list": bind(operations["portals.list"], listPortals),
  "portals.create": bind(operations["portals.create"], createPortal),
  "portals.change": bind(operations["portals.change"], changePortal),
  "portals.remove": bind(operations["portals.remove"], removePortal),
  "portals.open": bind(operations["portals.open"], openPortal),
  "portals.decide": bind(operations["portals.decide"], decideInPortal),
  "portals.comment": bind(operations["portals.comment"], commentInPortal),
  "analytics.read": bind(operations["analytics.read"], readAnalytics),
  "analytics.posts": bind(operations["analytics.posts"], postsByFigure),
  "analytics.days": bind(operations["analytics.days"], figuresByDay),
  "analytics.channels": bind(operations["analytics.channels"], figuresByChannel),
  "reports.create": bind(operations["reports.create"], createReport),
  "webhooks.create": bind(operations["webhooks.create"], createWebhook),
  "webhooks.list": bind(operations["webhooks.list"], listWebhooks),
  "webhooks.change": bind(operations["webhooks.change"], changeWebhook),
  "webhooks.remove": bind(operations["webhooks.remove"], removeWebhook),
  "webhooks.attempts": bind(operations["webhooks.attempts"], listAttempts),
  "webhooks.test": bind(operations["webhooks.test"], testWebhook),
  "webhooks.rotate-secret": bind(operations["webhooks.rotate-secret"], rotateSecret),
  "webhooks.redeliver": bind(operations["webhooks.redeliver"], redeliver),
  "usage.read": bind(operations["usage.read"], readUsage),
  "operator.set-plan": bind(operations["operator.set-plan"], setPlan),
  "usage.read-account": bind(operations["usage.read-account"], readAccountUsage),
  "platforms.list": bind(operations["platforms.list"], listPlatforms),
  "posts.create": bind(operations["posts.create"], createPost),
  "posts.list": bind(operations["posts.list"], listPosts),
  "posts.bulk": bind(operations["posts.bulk"], bulkPosts),
  "posts.csv": bindStream(operations["posts.csv"], postsTable),
  "posts.import": bind(operations["posts.import"], importPosts),
  "posts.receipt": bind(operations["posts.receipt"], getReceipt),
  "posts.labels": bind(operations["posts.labels"], listLabels),
  "posts.approve": bind(operations["posts.approve"], approvePost),
  "posts.decline": bind(operations["posts.decline"], declinePost),
  "posts.decision": bind(operations["posts.decision"], readDecision),
  "posts.create-review-link": bind(operations["posts.create-review-link"], createReviewLink),
  "posts.end-review-link": bind(operations["posts.end-review-link"], endReviewLink),
  "posts.get": bind(operations["posts.get"], getPost),
  "posts.update": bind(operations["posts.update"], updatePost),
  "posts.remove": bind(operations["posts.remove"], removePost),
  "posts.stop-repeat": bind(operations["posts.stop-repeat"], stopRepeat),
  "posts.retry-delivery": bind(operations["posts.retry-delivery"], retryDelivery),
  "posts.take-down": bind(operations["posts.take-down"], takeDown),
  "posts.edit-live-text": bind(operations["posts.edit-live-text"], editLiveText),
  "slots.read": bind(operations["slots.read"], readSlots),
  "slots.set": bind(operations["slots.set"], setSlots),
  "slots.next": bind(operations["slots.next"], nextSlots),
  "comments.list": bind(operations["comments.list"], listComments),
  "comments.create": bind(operations["comments.create"], createComment),
  "channel-groups.list": bind(operations["channel-groups.list"], listChannelGroups),
  "channel-groups.create": bind(operations["channel-groups.create"], createChannelGroup),
  "channel-groups.change": bind(operations["channel-groups.change"], changeChannelGroup),
  "channel-groups.remove": bind(operations["channel-groups.remove"], removeChannelGroup),
  "feeds.list": bind(operations["feeds.list"], listFeeds),
  "feeds.create": bind(operations["feeds.create"], createFeed),
  "feeds.change": bind(operations["feeds.change"], changeFeed),
  "feeds.remove": bind(operations["feeds.remove"], removeFeed),
  "snippets.list": bind(operations["snippets.list"], listSnippets),
  "snippets.create": bind(operations["snippets.create"], createSnippet),
  "snippets.change": bind(operations["snippets.change"], changeSnippet),
  "snippets.remove": bind(operations["snippets.remove"], removeSnippet),
  "events.list": bind(operations["events.list"], listEvents),
  "media.request-upload": bind(operations["media.request-upload"], requestUpload),
  "media.request-chunked-upload": bind(operations["media.request-chunked-upload"], requestChunkedUpload),
  "media.request-chunk-addresses": bind(operations["media.request-chunk-addresses"], requestChunkAddresses),
  "media.complete-upload": bind(operations["media.complete-upload"], completeUpload),
  "media.abort-upload": bind(operations["media.abort-upload"], abortUpload),
  "media.register": bind(operations["media.register"], registerMedia),
  "media.list": bind(operations["media.list"], listMedia),
  "media.get": bind(operations["media.get"], getMedia),
  "media.describe": bind(operations["media.describe"], describeMedia),
  "media.remove": bind(operations["media.remove"], removeMedia),
  "health.read": bind(operations["health.read"], readHealth),
  "status.read": bind(operations["status.read"], readStatus),
};
