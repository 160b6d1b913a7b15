-- What a post and its review link bind a decision to: a hash of the post's texts, options and files (src/operations/posts/content-tag.ts).

ALTER TABLE posts ADD COLUMN content_tag TEXT NOT NULL DEFAULT '';
ALTER TABLE review_links ADD COLUMN content_tag TEXT NOT NULL DEFAULT '';
