-- What a post said when somebody last decided on it, so that who looks again sees what has changed since.

-- JSON: the decision as in `approval`, with text, media, thread, channels, overrides, publishAt and postType; NULL: there was none
ALTER TABLE posts ADD COLUMN decided TEXT;
