// What each network counted, network by network: figures of different networks are never added up.
import { useState } from "react";
import { useRead } from "../reads.ts";
import { Instant, Mark, plain } from "../ui/marks.tsx";
import { nameOf } from "../ui/networks.ts";
import { Page } from "../ui/page.tsx";
import { Empty, Found } from "../ui/states.tsx";

export function Analytics() {
  const [days, setDays] = useState<"7" | "30">("7");
  const figures = useRead(
    ["analytics", days],
    async (client, signal) => (await client.call("analytics.read", { query: { days }, signal })).body.networks,
    { keep: true },
  );
  return (
    <Page
      title="Analytics"
      lead="Every network counts in its own way, so nothing is added up across networks."
      actions={
        <label className="field">
          <span className="visually-hidden">Published in the last</span>
          <select value={days} onChange={({ target }) => setDays(target.value === "30" ? "30" : "7")}>
            <option value="7">Last 7 days</option>
            <option value="30">Last 30 days</option>
          </select>
        </label>
      }
      wide
    >
      <Found query={figures} what="The figures">
        {(networks) =>
          networks.length === 0 ? (
            <Empty title="Nothing was published in these days" />
          ) : (
            <div className="tiles">
              {networks.map(({ platform, deliveries, figures, note }) => (
                <section key={platform} className="card" aria-label={nameOf(platform)}>
                  <div className="row">
                    <Mark platform={platform} />
                    <h2>{nameOf(platform)}</h2>
                    <span className="soft">
                      {deliveries} {deliveries === 1 ? "post" : "posts"}
                    </span>
                  </div>
                  {Object.keys(figures).length === 0 ? (
                    <p className="soft">{note ?? "It has reported nothing yet."}</p>
                  ) : (
                    <dl className="facts">
                      {Object.entries(figures).map(([name, figure]) => (
                        <div key={name} className="figure">
                          <dt>{plain(name)}</dt>
                          <dd>
                            <span className="numbers-big">{figure.value.toLocaleString("en")}</span>{" "}
                            <small className="soft">
                              from {figure.deliveries} of {deliveries}, read <Instant at={figure.newest} />
                            </small>
                          </dd>
                        </div>
                      ))}
                    </dl>
                  )}
                </section>
              ))}
            </div>
          )
        }
      </Found>
    </Page>
  );
}
