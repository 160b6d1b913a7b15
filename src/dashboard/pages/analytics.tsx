// The metrics of each network, separately: figures of different networks are never added up or compared.
import { useState } from "react";
import { Link } from "wouter";
import type { Answer, Client } from "../../client/client.ts";
import { networkName } from "../../domain/network-name.ts";
import { useRead } from "../reads.ts";
import { Mark } from "../ui/channel.tsx";
import { Instant, plain } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Found } from "../ui/states.tsx";

type Days = "7" | "30";
type Network = Answer<"analytics.read">["networks"][number];
type Day = Answer<"analytics.days">["days"][number];
type FigureName =
  Answer<"analytics.posts">["posts"][number]["figures"] extends Partial<Record<infer Name, unknown>> ? Name : never;

const namesIn = (figures: Network["figures"]): FigureName[] =>
  Object.keys(figures).filter((name): name is FigureName => name in figures);

async function readAll(client: Client, days: Days, signal: AbortSignal) {
  const [sums, series] = await Promise.all([
    client.call("analytics.read", { query: { days }, signal }),
    client.call("analytics.days", { query: { days }, signal }),
  ]);
  return { networks: sums.body.networks.filter(({ deliveries }) => deliveries > 0), days: series.body.days };
}

export function Analytics() {
  const [days, setDays] = useState<Days>("7");
  const figures = useRead(["analytics", days], (client, signal) => readAll(client, days, signal), { keep: true });
  return (
    <Page
      title="Analytics"
      lead="Networks count in different ways, so metrics are not added up across networks."
      actions={
        <label className="field">
          <span className="visually-hidden">Published in the last</span>
          <select value={days} onChange={({ target }) => setDays(target.value === "30" ? "30" : "7")}>
            <option value="7">Last 7 days</option>
            <option value="30">Last 30 days</option>
          </select>
        </label>
      }
    >
      <Found query={figures} what="Metrics">
        {({ networks, days: series }) =>
          networks.length === 0 ? (
            <Empty title="No posts were published in this period" />
          ) : (
            <div className="tiles">
              {networks.map((network) => (
                <OneNetwork
                  key={network.platform}
                  network={network}
                  days={days}
                  series={series.filter(({ platform }) => platform === network.platform).reverse()}
                />
              ))}
            </div>
          )
        }
      </Found>
    </Page>
  );
}

function OneNetwork({ network, days, series }: { network: Network; days: Days; series: Day[] }) {
  const { platform, deliveries, figures, note } = network;
  const names = namesIn(figures);
  const [chosen, setChosen] = useState<FigureName | null>(null);
  const figure = chosen !== null && names.includes(chosen) ? chosen : (names[0] ?? null);
  return (
    <section className="card" aria-label={networkName(platform)}>
      <div className="row">
        <Mark platform={platform} />
        <h2>{networkName(platform)}</h2>
        <span className="soft">
          {deliveries} {deliveries === 1 ? "post" : "posts"}
        </span>
      </div>
      {figure === null ? (
        <p className="soft">{note ?? "It has not reported anything yet."}</p>
      ) : (
        <>
          <dl className="facts">
            {names.map((name) => {
              const sum = figures[name];
              return (
                sum !== undefined && (
                  <div key={name} className="figure">
                    <dt>{plain(name)}</dt>
                    <dd>
                      <span className="numbers-big">{sum.value.toLocaleString("en")}</span>{" "}
                      <small className="soft">
                        from {sum.deliveries} of {deliveries}, read <Instant at={sum.newest} />
                      </small>
                    </dd>
                  </div>
                )
              );
            })}
          </dl>
          <label className="field">
            <span>By day and by post</span>
            <select
              value={figure}
              onChange={({ target }) => setChosen(names.find((name) => name === target.value) ?? null)}
            >
              {names.map((name) => (
                <option key={name} value={name}>
                  {plain(name)}
                </option>
              ))}
            </select>
          </label>
          <Series days={series} figure={figure} />
          <Best platform={platform} figure={figure} days={days} />
        </>
      )}
    </section>
  );
}

const [WIDTH, HEIGHT] = [300, 56];

/** A bar for each day. A day without a reported figure has no bar, while a day with the value zero has a low one. */
function Series({ days, figure }: { days: Day[]; figure: FigureName }) {
  const values = days.map(({ figures }) => figures[figure]?.value ?? null);
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const step = WIDTH / Math.max(1, days.length);
  const [first, last] = [days[0]?.date, days.at(-1)?.date];
  return (
    <figure>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        width="100%"
        role="img"
        aria-label={`${plain(figure)} by the UTC day of publishing, from ${first} to ${last}; at most ${most} on one day`}
      >
        <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} stroke="currentColor" strokeOpacity="0.25" />
        {days.map(({ date }, i) => {
          const value = values[i] ?? null;
          if (value === null) return null;
          const height = Math.max(2, (value / most) * (HEIGHT - 4));
          return (
            <rect
              key={date}
              x={i * step + step * 0.12}
              y={HEIGHT - height}
              width={step * 0.76}
              height={height}
              rx="1.5"
              fill="currentColor"
              opacity="0.7"
            >
              <title>{`${date}: ${value.toLocaleString("en")}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="row apart soft">
        <small>{first}</small>
        <small>{last}</small>
      </figcaption>
    </figure>
  );
}

const BEST = 5;

/** The posts of one network with the highest values of one figure. */
function Best({ platform, figure, days }: { platform: string; figure: FigureName; days: Days }) {
  const posts = useRead(
    ["analytics", "posts", platform, figure, days],
    async (client, signal) =>
      (await client.call("analytics.posts", { query: { platform, figure, days, limit: BEST }, signal })).body.posts,
    { keep: true },
  );
  return (
    <Found query={posts} what="The posts">
      {(postFigures) => (
        <ol className="stack" aria-label={`Posts by ${plain(figure)}`}>
          {postFigures.map(({ post, channel, published_at, figures }) => (
            <li key={`${post} ${channel}`} className="row apart">
              <Link href={`/posts/${post}`}>{published_at === null ? "A post" : <Instant at={published_at} />}</Link>
              <span className="numbers">{(figures[figure]?.value ?? 0).toLocaleString("en")}</span>
            </li>
          ))}
        </ol>
      )}
    </Found>
  );
}
