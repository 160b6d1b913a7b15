-- JSON that does not parse, or is of another kind, stops whatever reads it: the lists and the export of its workspace, and every
-- channel of its lane. So no row has any, not even by a statement of the operator's.

CREATE TRIGGER posts_json_inserted BEFORE INSERT ON posts
WHEN json_type(NEW.media) <> 'array'
  OR json_type(NEW.channels) <> 'array'
  OR json_type(NEW.overrides) <> 'object'
  OR json_type(NEW.metadata) <> 'object'
  OR json_type(NEW.labels) <> 'array'
  OR json_type(NEW.thread) <> 'array'
  OR json_type(NEW.approval) <> 'object'
  OR json_type(NEW.decided) <> 'object'
  OR json_type(NEW.author) <> 'object'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER posts_json_updated BEFORE UPDATE OF media, channels, overrides, metadata, labels, thread, approval, decided, author ON posts
WHEN json_type(NEW.media) <> 'array'
  OR json_type(NEW.channels) <> 'array'
  OR json_type(NEW.overrides) <> 'object'
  OR json_type(NEW.metadata) <> 'object'
  OR json_type(NEW.labels) <> 'array'
  OR json_type(NEW.thread) <> 'array'
  OR json_type(NEW.approval) <> 'object'
  OR json_type(NEW.decided) <> 'object'
  OR json_type(NEW.author) <> 'object'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER deliveries_json_inserted BEFORE INSERT ON deliveries
WHEN json_type(NEW.sends) <> 'array'
  OR json_type(NEW.parts) <> 'array'
  OR json_type(NEW.readback) <> 'object'
  OR json_type(NEW.additions) <> 'object'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER deliveries_json_updated BEFORE UPDATE OF sends, parts, readback, additions ON deliveries
WHEN json_type(NEW.sends) <> 'array'
  OR json_type(NEW.parts) <> 'array'
  OR json_type(NEW.readback) <> 'object'
  OR json_type(NEW.additions) <> 'object'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER channels_json_inserted BEFORE INSERT ON channels
WHEN json_type(NEW.missing_permissions) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER channels_json_updated BEFORE UPDATE OF missing_permissions ON channels
WHEN json_type(NEW.missing_permissions) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER events_json_inserted BEFORE INSERT ON events
WHEN json_type(NEW.body) <> 'object'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER events_json_updated BEFORE UPDATE OF body ON events
WHEN json_type(NEW.body) <> 'object'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER webhooks_json_inserted BEFORE INSERT ON webhooks
WHEN json_type(NEW.events) <> 'array'
  OR json_type(NEW.previous_secrets) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER webhooks_json_updated BEFORE UPDATE OF events, previous_secrets ON webhooks
WHEN json_type(NEW.events) <> 'array'
  OR json_type(NEW.previous_secrets) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER slots_json_inserted BEFORE INSERT ON slots
WHEN json_type(NEW.slots) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER slots_json_updated BEFORE UPDATE OF slots ON slots
WHEN json_type(NEW.slots) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER named_keys_json_inserted BEFORE INSERT ON named_keys
WHEN json_type(NEW.scopes) <> 'array'
  OR json_type(NEW.channels) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER named_keys_json_updated BEFORE UPDATE OF scopes, channels ON named_keys
WHEN json_type(NEW.scopes) <> 'array'
  OR json_type(NEW.channels) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER audit_json_inserted BEFORE INSERT ON audit
WHEN json_type(NEW.details) <> 'object'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER audit_json_updated BEFORE UPDATE OF details ON audit
WHEN json_type(NEW.details) <> 'object'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER workspace_audit_json_inserted BEFORE INSERT ON workspace_audit
WHEN json_type(NEW.details) <> 'object'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER workspace_audit_json_updated BEFORE UPDATE OF details ON workspace_audit
WHEN json_type(NEW.details) <> 'object'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER factors_json_inserted BEFORE INSERT ON factors
WHEN json_type(NEW.transports) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER factors_json_updated BEFORE UPDATE OF transports ON factors
WHEN json_type(NEW.transports) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER published_days_json_inserted BEFORE INSERT ON published_days
WHEN json_type(NEW.counts) <> 'object'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER published_days_json_updated BEFORE UPDATE OF counts ON published_days
WHEN json_type(NEW.counts) <> 'object'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER notices_json_inserted BEFORE INSERT ON notices
WHEN json_type(NEW.told) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER notices_json_updated BEFORE UPDATE OF told ON notices
WHEN json_type(NEW.told) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER oauth_clients_json_inserted BEFORE INSERT ON oauth_clients
WHEN json_type(NEW.redirect_uris) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER oauth_clients_json_updated BEFORE UPDATE OF redirect_uris ON oauth_clients
WHEN json_type(NEW.redirect_uris) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER oauth_grants_json_inserted BEFORE INSERT ON oauth_grants
WHEN json_type(NEW.scopes) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER oauth_grants_json_updated BEFORE UPDATE OF scopes ON oauth_grants
WHEN json_type(NEW.scopes) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER published_counts_json_inserted BEFORE INSERT ON published_counts
WHEN json_type(NEW.counts) <> 'object'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER published_counts_json_updated BEFORE UPDATE OF counts ON published_counts
WHEN json_type(NEW.counts) <> 'object'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;
