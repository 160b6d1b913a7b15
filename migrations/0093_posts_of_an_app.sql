-- Finds the posts that count among those which a network takes from an app in a day (src/store/deliveries/app-posts.ts). Only YouTube
-- has such a number, so deliveries to the other networks write nothing here.
CREATE INDEX deliveries_of_app ON deliveries (coalesce(next_at, published_at)) WHERE platform = 'youtube';
