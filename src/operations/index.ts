// Contract name -> the operation with its work. An operation of the contract that is missing here does not compile.
import { type OperationName, operations } from "../contract/index.ts";
import { me } from "./accounts/me.ts";
import { signIn } from "./accounts/sign-in.ts";
import { signOut } from "./accounts/sign-out.ts";
import { signUp } from "./accounts/sign-up.ts";
import { connectChannel } from "./channels/connect.ts";
import { disconnectChannel } from "./channels/disconnect.ts";
import { listChannels } from "./channels/list.ts";
import { getMedia } from "./media/get.ts";
import { listMedia } from "./media/list.ts";
import { registerMedia } from "./media/register.ts";
import { requestUpload } from "./media/request-upload.ts";
import { listPlatforms } from "./platforms/list.ts";
import { createPost } from "./posts/create.ts";
import { getPost } from "./posts/get.ts";
import { listPosts } from "./posts/list.ts";
import { removePost } from "./posts/remove.ts";
import { type Bound, bind } from "./run.ts";
import { currentWorkspace } from "./workspaces/current.ts";
import { revealKey } from "./workspaces/reveal-key.ts";

export const bound: Record<OperationName, Bound> = {
  "accounts.sign-up": bind(operations["accounts.sign-up"], signUp),
  "accounts.sign-in": bind(operations["accounts.sign-in"], signIn),
  "accounts.sign-out": bind(operations["accounts.sign-out"], signOut),
  "accounts.me": bind(operations["accounts.me"], me),
  "workspaces.current": bind(operations["workspaces.current"], currentWorkspace),
  "workspaces.reveal-key": bind(operations["workspaces.reveal-key"], revealKey),
  "channels.list": bind(operations["channels.list"], listChannels),
  "channels.connect": bind(operations["channels.connect"], connectChannel),
  "channels.disconnect": bind(operations["channels.disconnect"], disconnectChannel),
  "platforms.list": bind(operations["platforms.list"], listPlatforms),
  "posts.create": bind(operations["posts.create"], createPost),
  "posts.list": bind(operations["posts.list"], listPosts),
  "posts.get": bind(operations["posts.get"], getPost),
  "posts.remove": bind(operations["posts.remove"], removePost),
  "media.request-upload": bind(operations["media.request-upload"], requestUpload),
  "media.register": bind(operations["media.register"], registerMedia),
  "media.list": bind(operations["media.list"], listMedia),
  "media.get": bind(operations["media.get"], getMedia),
};
