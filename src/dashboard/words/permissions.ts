// What does not work without a permission that an account's owner did not grant.
const WITHOUT: ReadonlyMap<string, string> = new Map([
  ["read_insights", "No figures for its posts."],
  ["pages_manage_engagement", "No first comments."],
  ["business_management", "Pages of a business portfolio may be missing."],
  ["instagram_business_manage_insights", "No figures for its posts."],
  ["instagram_business_manage_comments", "No first comments."],
  ["r_member_postAnalytics", "No figures for posts of members."],
  ["w_member_social_feed", "No first comments on posts of members."],
  ["w_organization_social_feed", "No first comments on posts of pages."],
  ["threads_manage_replies", "No first comments or threads."],
  ["threads_manage_insights", "No figures for its posts."],
  ["threads_read_replies", "First comments can't be checked if an answer is lost."],
  ["threads_delete", "Posts can't be taken down."],
  ["threads_location_tagging", "Posts can't have a location."],
  ["video.publish", "Posts can only be sent as drafts to the TikTok app."],
  ["video.upload", "Posts can't be sent as drafts to the TikTok app."],
  ["video.list", "No checks and no figures for live posts."],
  ["offline.access", "The account has to be reconnected every two hours."],
  ["https://www.googleapis.com/auth/youtube.force-ssl", "No first comments, playlists or takedowns."],
]);

/** A sentence on what is missing. */
export const explainMissingPermission = (permission: string): string =>
  WITHOUT.get(permission) ?? "Some features won't work.";
export const knownPermissions: ReadonlySet<string> = new Set(WITHOUT.keys());
