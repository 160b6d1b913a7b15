-- Events that an endpoint missed while it was switched off, as its log lists them (src/store/webhooks/attempt-log.ts).
CREATE INDEX webhook_messages_skipped ON webhook_messages (workspace_id, webhook_id, event_id) WHERE state = 'skipped';
