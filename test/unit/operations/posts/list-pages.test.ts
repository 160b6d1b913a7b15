// Compares the pages of a list of posts with a plain search in the same posts.
import fc from "fast-check";
import { expect, it } from "vitest";
import { anyQuery, CHANNELS, plantPosts, randomPosts, search } from "../../../support/planted-posts.ts";
import { everyNth } from "../../../support/runs.ts";
import { makeBinding, NOW } from "../../store/deliveries/stored-delivery.ts";
import { setUpWorkspace } from "./workspace-of-two.ts";

/** A limit that no list reaches. */
const POSTS_MAX = 10_000;
const isRecord = (value: unknown): value is { id: string } =>
  typeof value === "object" && value !== null && "id" in value && typeof value.id === "string";

const SEEDS = Array.from({ length: 18 }, (_, i) => i + 1);

it.each(everyNth(SEEDS, { sample: 9, most: 3 }))(
  "a list of posts has full pages with each post once and in order, for any query (seed %d)",
  async (seed) => {
    const { call, workspaceId } = await setUpWorkspace();
    const posts = randomPosts(seed, NOW);
    await plantPosts(makeBinding(), workspaceId, posts);
    const channels = CHANNELS.slice(0, 2).map(({ id }) => id);
    const list = fc.record({
      query: anyQuery(NOW),
      reach: fc.constantFrom(null, null, channels),
      pageSize: fc.constantFrom(3, 7, 49, 199),
    });
    await fc.assert(
      fc.asyncProperty(list, async ({ query, reach, pageSize }) => {
        const expected = search(posts, query, NOW, reach);
        const limit = expected.length > 20 * pageSize ? 199 : pageSize;
        const ids: string[] = [];
        for (let cursor: unknown; cursor !== null && ids.length < POSTS_MAX; ) {
          const pageQuery = { ...query, limit: `${limit}`, ...(cursor === undefined ? {} : { cursor }) };
          const { body } = await call("posts.list", { query: pageQuery, reach });
          const page = Array.isArray(body.posts) ? body.posts.filter(isRecord) : [];
          ids.push(...page.map(({ id }) => id));
          cursor = body.next;
          if (cursor !== null) expect(page).toHaveLength(limit);
        }
        expect(ids).toEqual(expected);
      }),
      { seed, numRuns: 6 },
    );
  },
);
