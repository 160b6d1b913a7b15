// Every operation by name. REST, MCP, the CLI, the dashboard and the OpenAPI document are made from this list.
import * as accounts from "./accounts.ts";
import * as channels from "./channels.ts";
import * as media from "./media.ts";
import * as platforms from "./platforms.ts";
import * as posts from "./posts.ts";
import * as workspaces from "./workspaces.ts";

export const operations = {
  "accounts.sign-up": accounts.signUp,
  "accounts.sign-in": accounts.signIn,
  "accounts.sign-out": accounts.signOut,
  "accounts.me": accounts.me,
  "workspaces.current": workspaces.currentWorkspace,
  "workspaces.reveal-key": workspaces.revealKey,
  "channels.list": channels.listChannels,
  "channels.connect": channels.connectChannel,
  "channels.disconnect": channels.disconnectChannel,
  "platforms.list": platforms.listPlatforms,
  "posts.create": posts.createPost,
  "posts.list": posts.listPosts,
  "posts.get": posts.getPost,
  "posts.remove": posts.removePost,
  "media.request-upload": media.requestUpload,
  "media.register": media.registerMedia,
  "media.list": media.listMedia,
  "media.get": media.getMedia,
} as const;

export type OperationName = keyof typeof operations;
