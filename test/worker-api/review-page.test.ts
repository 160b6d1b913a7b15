// The page of a review link.

import { describe, expect, it } from "vitest";
import { comingDate } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { mp4 } from "../support/media-files.ts";
import { asMember, join } from "../support/members.ts";
import { call, connect, getPost, type PostBody, signUp, upload, uploadImage, uploadJpeg } from "../support/world.ts";
import { approve, createReviewPath, decline, openReview, requestApproval } from "./reviewed-post.ts";

describe("the page of a review link", () => {
  it("the page shows what each channel would publish and when, and nothing else of the workspace", async () => {
    const [owner, author] = [await signUp(), await signUp()];
    await join(owner, author, "author");
    const [telegram, bluesky, unused] = [
      await connect(owner.key, "telegram"),
      await connect(owner.key, "bluesky"),
      await connect(owner.key, "x"),
    ];
    await call("PATCH", `/v1/workspaces/${owner.workspace}`, {
      token: owner.session,
      body: { approval: "authors", name: "Secret engines" },
    });
    await call("PATCH", "/v1/workspace", { token: owner.key, body: { timezone: "Europe/Berlin" } });
    const date = comingDate("01-15");
    const weekday = new Intl.DateTimeFormat("en-GB", { dateStyle: "full" }).format(new Date(`${date}T12:00:00Z`));
    const image = await uploadImage(owner, { alt: "A red door" });
    await uploadImage(owner, { alt: "Of another post" });
    const { body: waitingPost } = await call<PostBody>(
      "POST",
      "/v1/posts",
      asMember(author, owner, {
        text: "For <b>all</b>",
        media: [image.id],
        channels: [telegram.id, bluesky.id],
        overrides: { [telegram.id]: { text: "Only here", thread: [] } },
        thread: [{ text: "And a second part" }],
        publish_at: `${date}T09:00`,
        labels: ["inner-label"],
        metadata: { campaign: "inner-campaign" },
      }),
    );
    expect(waitingPost).toMatchObject({ status: "awaiting_approval" });
    const { body: file } = await call<{ public_url: string }>("GET", `/v1/media/${image.id}`, { token: owner.key });
    const response = await openReview(await createReviewPath({ owner, waitingPost }));
    const html = await response.text();
    for (const text of [
      "Only here",
      "For &lt;b&gt;all&lt;/b&gt;",
      "And a second part",
      "Part 2 of 2",
      "A red door",
      telegram.handle,
      bluesky.handle,
      "<span>Bluesky</span>",
      `${weekday} at 09:00`,
      "Europe/Berlin, UTC+01:00",
      `src="${file.public_url.replace(/file\.\w+$/, "")}`,
    ]) {
      expect(html).toContain(text);
    }
    for (const secret of [
      "Secret engines",
      "inner-label",
      "inner-campaign",
      unused.handle,
      "Of another post",
      owner.email,
      author.email,
      owner.workspace,
      waitingPost.id,
      telegram.id,
    ]) {
      // The public address of the file contains the workspace's id, as it does wherever the post is published.
      expect(html.replaceAll(file.public_url.replace(/file\.\w+$/, ""), "")).not.toContain(secret);
    }
    expect(html).not.toContain("<script");
  });

  it("the page shows the thumbnail of a video as a picture, not as an id", async () => {
    const review = await requestApproval();
    const { owner } = review;
    const tube = await connect(owner.key, "youtube");
    const video = await upload(owner, mp4({ width: 1280, height: 720, seconds: 3 }), "video/mp4");
    const image = await uploadJpeg(owner, { width: 1280, height: 720, alt: "A red door" });
    const options = { title: "Film", made_for_kids: false, thumbnail_media: image.id };
    const edited = await call<PostBody>("PATCH", `/v1/posts/${review.waitingPost.id}`, {
      token: owner.key,
      body: { text: "A film", channels: [tube.id], media: [video.id], overrides: { [tube.id]: options } },
    });
    expect(edited).toMatchObject({ status: 200, body: { status: "awaiting_approval" } });
    const html = await (await openReview(await createReviewPath(review))).text();
    const { body: file } = await call<{ public_url: string }>("GET", `/v1/media/${image.id}`, { token: owner.key });
    const folder = file.public_url.replace(/file\.\w+$/, "");
    expect(html).toContain(`<img src="${folder}`);
    expect(html.replaceAll(folder, "")).not.toContain(image.id);
    expect(html).not.toContain("thumbnail media");
  });

  it("the page is not cached, indexed or leaked by a referrer, and loads only the post's files", async () => {
    const path = await createReviewPath(await requestApproval());
    const { headers } = await openReview(path);
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-robots-tag")).toContain("noindex");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect((await openReview(`/review/${"x".repeat(43)}`)).headers.get("x-robots-tag")).toContain("noindex");
  });

  it("the page of an edited post says so, and offers no approval", async () => {
    const review = await requestApproval();
    const path = await createReviewPath(review);
    await call(
      "PATCH",
      `/v1/posts/${review.waitingPost.id}`,
      asMember(review.author, review.owner, { text: "Another text" }),
    );
    const response = await openReview(path);
    const html = await response.text();
    expect(response.status).toBe(410);
    expect(html).toContain("was changed");
    expect(html).not.toContain("Another text");
    expect(html).not.toContain("<form");
    expect(await (await approve(path)).text()).toContain("was changed");
    expect(await getPost(review.owner.key, review.waitingPost.id)).toMatchObject({ status: "awaiting_approval" });
    expect(await (await openReview(await createReviewPath(review))).text()).toContain("Another text");
  });

  it("the page of a post whose time has passed accepts no approval", async () => {
    const review = await requestApproval();
    const path = await createReviewPath(review);
    await testEnv.DB.prepare("UPDATE posts SET publish_at = 1000000, due_at = 1000000 WHERE id = ?")
      .bind(review.waitingPost.id)
      .run();
    expect(await (await openReview(path)).text()).not.toContain('value="approve"');
    expect((await approve(path)).status).toBe(422);
    expect(await getPost(review.owner.key, review.waitingPost.id)).toMatchObject({ status: "awaiting_approval" });
    expect((await decline(path)).status).toBe(200);
  });
});
