-- What options ask for once a post is live, beside its first comment: the picture of a video, a place in a playlist.

ALTER TABLE deliveries ADD COLUMN additions TEXT;  -- JSON object by option: { state, tries, detail }; NULL: there are none
