// The figures of each network, separately: figures of different networks are never added up or compared.
import "../analytics/analytics.css";
import { useState } from "react";
import { Link } from "wouter";
import { RETENTION_MONTHS_MIN } from "../../domain/limits.ts";
import { networkName } from "../../domain/network-name.ts";
import { BestPosts } from "../analytics/best-posts.tsx";
import { Chart } from "../analytics/chart.tsx";
import {
  computeChange,
  type FigureName,
  listFigures,
  type Network,
  type Period,
  type Range,
  readPeriod,
  toCsv,
  toSeries,
} from "../analytics/figures.ts";
import { RangeFields } from "../analytics/range-fields.tsx";
import { ReportDialog } from "../analytics/report-dialog.tsx";
import { type Period as ShownPeriod, useRange } from "../analytics/use-range.ts";
import { dayAfter } from "../calendar/days.ts";
import { useChannels, useRead } from "../reads.ts";
import { Button } from "../ui/button.tsx";
import { channelName, Mark } from "../ui/channel.tsx";
import { Segments } from "../ui/choices.tsx";
import { ChannelChoice, LabelChoice, useFilters } from "../ui/filters.tsx";
import { Instant } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { saveFile } from "../ui/save-file.ts";
import { Empty, Found } from "../ui/states.tsx";
import { formatNumber } from "../words/counts.ts";
import { nameMetric } from "../words/states.ts";

const SEGMENTS: { value: ShownPeriod; name: string }[] = [
  { value: "7", name: "7 days" },
  { value: "30", name: "30 days" },
  { value: "90", name: "90 days" },
  { value: "range", name: "Custom" },
];
/** Older posts may be in the archive, which is not counted (`RETENTION_MONTHS_MIN`). */
const SURE_DAYS = RETENTION_MONTHS_MIN * 31;

const toLabel = (figure: FigureName) => {
  const words = nameMetric(figure);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export function Analytics() {
  const { filter, set } = useFilters(["channel", "label"]);
  const channels = useChannels();
  const [isReporting, setReporting] = useState(false);
  const { period: chosenPeriod, range: shownDates, today, dates, choosePeriod, chooseRange } = useRange();
  const range = { ...shownDates, ...filter };
  const period = useRead(["analytics", range], (client, signal) => readPeriod(client, range, signal), { keep: true });
  function describeFilter(): string | null {
    const channel = channels.data?.find(({ id }) => id === filter.channel);
    const parts = [
      ...(channel === undefined ? [] : [channelName(channel)]),
      ...(filter.label === undefined ? [] : [`posts labeled ${filter.label}`]),
    ];
    return parts.length === 0 ? null : parts.join(", ");
  }
  const hasFigures = period.data !== undefined && period.data.networks.length > 0;
  return (
    <Page
      title="Analytics"
      lead="Each network counts in its own way, so figures of different networks are never added up."
      actions={
        <>
          <Segments label="Published in the last" options={SEGMENTS} value={chosenPeriod} onChange={choosePeriod} />
          <Button
            icon="tray"
            disabled={!hasFigures}
            onClick={() =>
              saveFile(
                new Blob([toCsv(period.data?.days ?? [], dates)], { type: "text/csv" }),
                `analytics-${range.from}-${range.to}.csv`,
              )
            }
          >
            CSV
          </Button>
          <Button icon="out" disabled={!hasFigures} onClick={() => setReporting(true)}>
            Share report
          </Button>
        </>
      }
    >
      <search className="analytics-filters">
        {chosenPeriod === "range" && <RangeFields {...shownDates} today={today} onChange={chooseRange} />}
        <ChannelChoice value={filter.channel} onChange={(value) => set("channel", value)} />
        <LabelChoice value={filter.label} onChange={(value) => set("label", value)} />
      </search>
      {range.from < dayAfter(today, -SURE_DAYS) && (
        <p className="soft">Posts that have moved to the archive are not counted.</p>
      )}
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
      {isReporting && <ReportDialog range={range} of={describeFilter()} onClose={() => setReporting(false)} />}
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
              <span className="numbers-big">{formatNumber(sum?.value ?? 0)}</span>
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
