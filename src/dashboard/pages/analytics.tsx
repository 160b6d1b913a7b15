// The figures of each network, separately: figures of different networks are never added up or compared.
import "../analytics/analytics.css";
import { useState } from "react";
import { Link } from "wouter";
import { networkName } from "../../domain/network-name.ts";
import { BestPosts } from "../analytics/best-posts.tsx";
import { Chart } from "../analytics/chart.tsx";
import {
  computeChange,
  type Days,
  type FigureName,
  listDates,
  listFigures,
  type Network,
  type Period,
  type Range,
  readPeriod,
  toCsv,
  toSeries,
} from "../analytics/figures.ts";
import { wallClock } from "../calendar/days.ts";
import { useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import { Button } from "../ui/button.tsx";
import { Mark } from "../ui/channel.tsx";
import { Segments } from "../ui/choices.tsx";
import { ChannelChoice, LabelChoice, useFilters } from "../ui/filters.tsx";
import { Instant } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { saveFile } from "../ui/save-file.ts";
import { Empty, Found } from "../ui/states.tsx";
import { nameMetric } from "../words/states.ts";

const PERIODS: { value: Days; name: string }[] = [
  { value: "7", name: "7 days" },
  { value: "30", name: "30 days" },
  { value: "90", name: "90 days" },
];

const toLabel = (figure: FigureName) => {
  const words = nameMetric(figure);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export function Analytics() {
  const [days, setDays] = useState<Days>("7");
  const { workspace } = useSession();
  const { filter, set } = useFilters(["channel", "label"]);
  const dates = listDates(Number(days), wallClock(workspace.timezone)(Date.now()).slice(0, 10));
  const range = { from: dates[0] ?? "", to: dates.at(-1) ?? "", ...filter };
  const period = useRead(["analytics", range], (client, signal) => readPeriod(client, range, signal), { keep: true });
  const hasFigures = period.data !== undefined && period.data.networks.length > 0;
  return (
    <Page
      title="Analytics"
      lead="Each network counts in its own way, so figures of different networks are never added up."
      actions={
        <>
          <Segments label="Published in the last" options={PERIODS} value={days} onChange={setDays} />
          <Button
            icon="tray"
            disabled={!hasFigures}
            onClick={() =>
              saveFile(
                new Blob([toCsv(period.data?.days ?? [], dates)], { type: "text/csv" }),
                `analytics-${dates[0]}-${dates.at(-1)}.csv`,
              )
            }
          >
            CSV
          </Button>
        </>
      }
    >
      <search className="analytics-filters">
        <ChannelChoice value={filter.channel} onChange={(value) => set("channel", value)} />
        <LabelChoice value={filter.label} onChange={(value) => set("label", value)} />
      </search>
      <Found query={period} what="Figures">
        {(figures) =>
          figures.networks.length === 0 ? (
            <div className="card">
              <Empty title="No posts in this period" icon="chart">
                <p>Figures appear here about ten minutes after a post goes live.</p>
                <Link href="/compose" className="button primary">
                  Write a post
                </Link>
              </Empty>
            </div>
          ) : (
            <Figures period={figures} range={range} dates={dates} />
          )
        }
      </Found>
    </Page>
  );
}

interface FiguresProps {
  period: Period;
  range: Range;
  dates: string[];
}

function Figures({ period: { networks, days: series }, range, dates }: FiguresProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  // Without a choice, the first network that reports something.
  const network =
    networks.find(({ platform }) => platform === chosen) ??
    networks.find(({ figures }) => listFigures(figures).length > 0) ??
    networks[0];
  if (network === undefined) return null;
  return (
    <div className="analytics">
      <fieldset className="network-list" aria-label="Network">
        {networks.map(({ platform, deliveries }) => (
          <button
            key={platform}
            type="button"
            aria-pressed={platform === network.platform}
            onClick={() => setChosen(platform)}
          >
            <Mark platform={platform} />
            <span className="who">
              <span>{networkName(platform)}</span>
              <small>
                {deliveries} {deliveries === 1 ? "post" : "posts"}
              </small>
            </span>
          </button>
        ))}
      </fieldset>
      <OneNetwork
        key={network.platform}
        network={network}
        range={range}
        dates={dates}
        series={series.filter(({ platform }) => platform === network.platform)}
      />
    </div>
  );
}

interface OneNetworkProps {
  network: Network;
  range: Range;
  dates: string[];
  series: Period["days"];
}

function OneNetwork({ network, range, dates, series }: OneNetworkProps) {
  const { platform, figures, measures } = network;
  const names = listFigures(figures);
  const [chosen, setChosen] = useState<FigureName | null>(null);
  const figure = chosen !== null && names.includes(chosen) ? chosen : (names[0] ?? null);
  const name = networkName(platform);
  if (figure === null) {
    return (
      <section className="card" aria-label={name}>
        <Empty title={measures ? "No figures yet" : `${name} reports no figures`} icon="chart">
          {measures && <p>{name} has not reported anything about these posts so far.</p>}
        </Empty>
      </section>
    );
  }
  return (
    <section className="card" aria-label={name}>
      <fieldset className="metrics" aria-label="Figure">
        {names.map((metric) => {
          const sum = figures[metric];
          return (
            <button key={metric} type="button" aria-pressed={metric === figure} onClick={() => setChosen(metric)}>
              <small>{toLabel(metric)}</small>
              <span className="numbers-big">{(sum?.value ?? 0).toLocaleString("en")}</span>
              <Change percent={computeChange(network, metric)} />
            </button>
          );
        })}
      </fieldset>
      <Chart name={toLabel(figure)} dates={dates} values={toSeries(series, dates, figure)} />
      {figures[figure] !== undefined && (
        <small className="soft">
          From {figures[figure].deliveries} {figures[figure].deliveries === 1 ? "post" : "posts"}, read{" "}
          <Instant at={figures[figure].newest} />. A figure belongs to the day on which its post was published.
        </small>
      )}
      <h2>Best posts</h2>
      <BestPosts platform={platform} figure={figure} range={range} />
    </section>
  );
}

/** The change against the period before. */
function Change({ percent }: { percent: number | null }) {
  if (percent === null) return <small className="change" />;
  const direction = percent > 0 ? "up" : percent < 0 ? "down" : "same";
  return (
    <small className="change" data-direction={direction}>
      {percent > 0 ? "▲ " : percent < 0 ? "▼ " : ""}
      {Math.abs(percent)} %
      <span className="visually-hidden">
        {direction === "up" ? " more" : direction === "down" ? " less" : " change"} than in the period before
      </span>
    </small>
  );
}
