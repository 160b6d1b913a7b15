-- An idempotency key expires 30 days after its post is cancelled, whoever cancels it: a caller, a publisher, or the settlement of the
-- last delivery that was still under way. Late proof that such a post is live keeps the key for as long as the post again.
CREATE TRIGGER keys_of_cancelled_posts AFTER UPDATE OF status ON posts
WHEN NEW.idempotency_key IS NOT NULL AND (NEW.status = 'cancelled') <> (OLD.status = 'cancelled') BEGIN
  UPDATE idempotency_keys SET expires_at = iif(NEW.status = 'cancelled', CAST(unixepoch('subsec') * 1000 AS INTEGER) + 30 * 86400000, NULL)
    WHERE workspace_id = NEW.workspace_id AND key = NEW.idempotency_key AND post_id = NEW.id;
END;
