// The figures of posts: share statistics of a page, and post statistics of a member.
import { memberUrn } from "./directory.ts";
import type { Posts } from "./posts.ts";
import { denied, invalid } from "./problem.ts";

type Query = Record<string, string>;

export function buildPageStatistics(posts: Posts, { organizationalEntity, shares, ugcPosts }: Query): object {
  const urn = /^List\((urn:li:\w+:\d+)\)$/.exec(shares ?? ugcPosts ?? "")?.[1] ?? "";
  const storedPost = posts.find(urn);
  // A post without views, recognized here by its text, has no row.
  const isSeen =
    storedPost?.post.author === organizationalEntity &&
    !storedPost?.removed &&
    storedPost?.post.shown.text !== "unseen";
  const totalShareStatistics = {
    impressionCount: 40,
    uniqueImpressionsCount: 30,
    clickCount: 5,
    likeCount: -1,
    commentCount: 2,
    shareCount: 1,
    engagement: 0.2,
  };
  return { elements: isSeen ? [{ organizationalEntity, share: urn, totalShareStatistics }] : [] };
}

const TYPES = ["IMPRESSION", "MEMBERS_REACHED", "RESHARE", "REACTION", "COMMENT", "POST_SAVE", "LINK_CLICKS"];

export function buildMemberAnalytics(posts: Posts, account: string, query: Query, call: string): object {
  const { entity, queryType: type = "", q } = query;
  const urn = /^\((?:share|ugc):(urn:li:\w+:\d+)\)$/.exec(entity ?? "")?.[1] ?? "";
  if (q !== "entity" || !TYPES.includes(type)) throw invalid("/queryType", "not a metric", "INVALID_PARAM");
  if (posts.find(urn)?.post.author !== memberUrn(account)) throw denied(call);
  return { elements: [{ count: 10 - TYPES.indexOf(type), metricType: type }] };
}
