// Webhook endpoints: their successful and failed calls, and the button to send one again.
import { useRef, useState } from "react";
import type { Answer } from "../../../client/client.ts";
import { DEFAULT_WEBHOOK_EVENTS, EVENT_NAMES } from "../../../domain/event.ts";
import { useAct, useRead } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { ActForm } from "../../ui/act-form.tsx";
import { Card } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Field } from "../../ui/field.tsx";
import { Instant, State, useClock } from "../../ui/marks.tsx";
import { Menu } from "../../ui/menu.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Empty, Found, Refused } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";
import { eventWords } from "../../words/events.ts";
import { DISABLED_WORDS } from "../../words/states.ts";
import { describeWebhookAnswer } from "../../words/webhooks.ts";

type Webhook = Answer<"webhooks.list">["webhooks"][number];
type Attempt = Answer<"webhooks.attempts">["deliveries"][number];

export function Webhooks() {
  const { whyNot } = useSession();
  const reason = whyNot("manage_webhooks");
  const [secret, setSecret] = useState<{ of: string; secret: string } | null>(null);
  const [events, setEvents] = useState<readonly string[]>(DEFAULT_WEBHOOK_EVENTS);
  const webhooks = useRead(
    ["webhooks"],
    async (client, signal) => (await client.call("webhooks.list", { query: { limit: "200" }, signal })).body.webhooks,
  );
  return (
    <div className="stack">
      {secret !== null && (
        <ShownOnce what="secret" of={`of ${secret.of}`} value={secret.secret} onDone={() => setSecret(null)} />
      )}
      <Found query={webhooks} what="The endpoints">
        {(webhooks) =>
          webhooks.length === 0 ? (
            <div className="card">
              <Empty title="No endpoints yet" icon="spark">
                <p>An endpoint of yours is called when a post goes live, fails or waits for approval.</p>
              </Empty>
            </div>
          ) : (
            webhooks.map((webhook) => (
              <Endpoint
                key={webhook.id}
                webhook={webhook}
                why={reason}
                onSecret={(secret) => setSecret({ of: webhook.url, secret })}
              />
            ))
          )
        }
      </Found>
      {!webhooks.isPending && (
        <Card
          title="Add an endpoint"
          lead="Each call is signed with the endpoint's secret, and repeated until it succeeds."
        >
          <ActForm
            act={async (client, form) =>
              (
                await client.call("webhooks.create", {
                  body: { url: form("url"), events: EVENT_NAMES.filter((name) => events.includes(name)) },
                })
              ).body
            }
            changes={["webhooks"]}
            done="Endpoint added"
            button="Add endpoint"
            why={reason}
            onDone={({ url, secret }) => setSecret({ of: url, secret })}
          >
            <Field label="Address" name="url" type="url" required placeholder="https://" />
            <fieldset className="event-choices">
              <legend>Events</legend>
              {EVENT_NAMES.map((name) => (
                <label key={name} className="choice">
                  <input
                    type="checkbox"
                    checked={events.includes(name)}
                    onChange={({ target }) =>
                      setEvents(
                        target.checked ? [...events, name] : events.filter((selectedEvent) => selectedEvent !== name),
                      )
                    }
                  />
                  {eventWords(name).label}
                </label>
              ))}
            </fieldset>
          </ActForm>
        </Card>
      )}
    </div>
  );
}

function Endpoint({
  webhook,
  why,
  onSecret,
}: {
  webhook: Webhook;
  why: string | null;
  onSecret(secret: string): void;
}) {
  const say = useSay();
  const [open, setOpen] = useState(false);
  const params = { id: webhook.id };
  const test = useAct(async (client, _: null) => client.call("webhooks.test", { params }), ["webhooks"]);
  const rotate = useAct(async (client, _: null) => client.call("webhooks.rotate-secret", { params }), ["webhooks"]);
  const remove = useAct(async (client, _: null) => client.call("webhooks.remove", { params }), ["webhooks"]);
  const trouble = test.error ?? rotate.error;
  const asking = useRef<HTMLDialogElement>(null);
  return (
    <section className="card" aria-label={webhook.url}>
      <div className="row apart">
        <span className="who">
          {webhook.url}
          <small>{webhook.events.map((name) => eventWords(name).label).join(", ")}</small>
        </span>
        <span className="row">
          <State of={webhook.state} />
          <Menu
            label={`More for ${webhook.url}`}
            entries={[
              {
                name: "New secret",
                icon: "key",
                why,
                act: () => rotate.mutate(null, { onSuccess: ({ body }) => onSecret(body.secret) }),
              },
              "line",
              { name: "Remove", icon: "trash", isDanger: true, why, act: () => asking.current?.showModal() },
            ]}
          />
        </span>
      </div>
      {webhook.disabled_reason !== null && (
        <p className="note">{DISABLED_WORDS[webhook.disabled_reason]} Send a test to turn it on again.</p>
      )}
      <Refused error={trouble} />
      {why !== null && <p className="note">{why}</p>}
      <div className="row">
        <button
          type="button"
          disabled={why !== null || test.isPending}
          onClick={() => test.mutate(null, { onSuccess: ({ body }) => say(describeWebhookAnswer(body)) })}
        >
          Send a test
        </button>
      </div>
      <Confirm
        dialog={asking}
        question={`Remove ${webhook.url}?`}
        yes="Remove endpoint"
        act={remove}
        onDone={() => say("Endpoint removed")}
      >
        It gets no more events, and its log is deleted.
      </Confirm>
      <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Calls</summary>
        {open && <Attempts webhook={webhook.id} why={why} />}
      </details>
    </section>
  );
}

const EVERY_MS = 5_000;

/** A description by which screen reader users can tell the attempts apart. */
const describeAttempt = ({ event, attempt, attempted_at: attemptedAt }: Attempt, clock: ReturnType<typeof useClock>) =>
  `${eventWords(event).label}, try ${attempt}, ${clock.exact(attemptedAt)}`;

function Attempts({ webhook, why }: { webhook: string; why: string | null }) {
  const say = useSay();
  const clock = useClock();
  const attempts = useRead(
    ["webhooks", webhook, "attempts"],
    async (client, signal) =>
      (await client.call("webhooks.attempts", { params: { id: webhook }, query: { limit: "50" }, signal })).body
        .deliveries,
    { every: EVERY_MS },
  );
  const again = useAct(
    async (client, attempt: string) => client.call("webhooks.redeliver", { params: { id: webhook, attempt } }),
    ["webhooks"],
  );
  return (
    <Found query={attempts} what="The calls">
      {(attempts) =>
        attempts.length === 0 ? (
          <Empty title="No calls yet" />
        ) : (
          <>
            <Refused error={again.error} />
            <ul className="rows">
              {attempts.map((attempt) => (
                <li key={attempt.id} className="row apart">
                  <span className="row">
                    <span className="who">
                      {eventWords(attempt.event).label}
                      <small className="numbers">
                        <Instant at={attempt.attempted_at} exact /> · Try {attempt.attempt} ·{" "}
                        {describeWebhookAnswer(attempt)}
                      </small>
                    </span>
                    <State of={attempt.outcome} />
                  </span>
                  {attempt.body !== null && (
                    <details>
                      <summary>
                        Body<span className="visually-hidden"> of {describeAttempt(attempt, clock)}</span>
                      </summary>
                      <pre className="exact">{JSON.stringify(JSON.parse(attempt.body), null, 2)}</pre>
                    </details>
                  )}
                  <button
                    type="button"
                    disabled={why !== null || again.isPending}
                    onClick={() =>
                      again.mutate(attempt.id, { onSuccess: ({ body }) => say(describeWebhookAnswer(body)) })
                    }
                  >
                    Send again<span className="visually-hidden"> {describeAttempt(attempt, clock)}</span>
                  </button>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Found>
  );
}
