// The table behind a spotlight: every word with its share, special tokens as one rest, blocked words with the reason.
import { useState } from "preact/hooks";
import type { Row, Share } from "../contract";
import { BarCell } from "./bar_cell";
import { fixed, percentText } from "./number";
import { numberedWords } from "./word_names";

const kListed = 16; // lines until all are asked for

interface SharesProps {
  row: Row;
  caption: string;
  names?: string[]; // of the words, by index, where they are known or the row leaves some out
  restName: string; // what the special tokens are called together; empty where there are none
  raw?: boolean;
  most?: number; // lines before the others are added up
  more?: boolean; // whether all can be asked for, of some that are listed
  adds?: boolean; // whether words can be ticked, to add up their shares
}

interface LineProps {
  name: string;
  percent: number;
  weight: number;
  raw?: boolean;
  apart?: boolean;
  ticked?: boolean;
  onTick?: () => void;
}

function Line({ name, percent, weight, raw, apart, ticked, onTick }: LineProps) {
  return (
    <tr class={apart ? "apart" : undefined}>
      <th scope="row">
        {onTick ? (
          <label>
            <input type="checkbox" checked={ticked} onChange={onTick} />
            <bdi>{name}</bdi>
          </label>
        ) : (
          <bdi>{name}</bdi>
        )}
      </th>
      <td class="number">{percentText(percent, weight)} %</td>
      {raw ? <td class="number">{fixed(weight, 6)}</td> : null}
      <BarCell weight={weight} />
    </tr>
  );
}

function Unlit({ share, name, raw }: { share: Share; name: string; raw?: boolean }) {
  return (
    <tr class="apart">
      <th scope="row">
        <bdi>{name}</bdi>
      </th>
      <td class="number">{share.blocked ? "blocked" : "hidden"}</td>
      {raw ? <td class="number">–</td> : null}
      <td class="small">{share.blocked ? share.blocked_because : "first token, left out"}</td>
    </tr>
  );
}

function tenthsOf(shares: Share[]): number {
  return shares.reduce((sum, share) => sum + Math.round((share.percent ?? 0) * 10), 0);
}

// Words of one sentence, by index; none once it is another sentence.
function useTicked(names: string[]): [number[], (index: number) => void] {
  const sentence = names.join("\n");
  const [ticked, tick] = useState({ sentence, words: [] as number[] });
  const words = ticked.sentence === sentence ? ticked.words : [];
  const others = (index: number) => words.filter((one) => one !== index);
  const toggle = (index: number) =>
    tick({ sentence, words: words.includes(index) ? others(index) : [...words, index].sort((a, b) => a - b) });
  return [words, toggle];
}

const weightOf = (shares: Share[]) => shares.reduce((sum, { weight }) => sum + weight, 0);

function Together({ shares, names }: { shares: Share[]; names: string[] }) {
  return (
    <p class="small together" aria-live="polite">
      {shares.length ? (
        <>
          <bdi>{shares.map((share) => names[share.index]).join(" + ")}</bdi>
          {shares.length > 1 ? " together: " : ": "}
          <b class="number">{percentText(tenthsOf(shares) / 10, weightOf(shares))} %</b>
        </>
      ) : (
        <span class="dim">Tick words to add up what goes to them.</span>
      )}
    </p>
  );
}

export function Shares(props: SharesProps) {
  const { row, caption, restName, raw, more, adds, most = more ? kListed : Infinity } = props;
  const [all, setAll] = useState(false);
  const names = props.names ?? numberedWords(row.row.map((share) => share.word));
  const [ticked, toggle] = useTicked(names);
  const lit = row.row.filter((share) => !share.blocked && !share.left_out);
  lit.sort((a, b) => b.weight - a.weight || a.index - b.index);
  const few = all ? lit : lit.slice(0, most);
  const others = lit.slice(few.length);
  return (
    <div>
      <table class="shares">
        <caption class="unseen">{caption}</caption>
        <thead class="unseen">
          <tr>
            <th>word</th>
            <th>share</th>
            {raw ? <th>weight</th> : null}
            <th>picture</th>
          </tr>
        </thead>
        <tbody>
          {few.map((share, place) => (
            <Line
              key={place}
              name={names[share.index]}
              percent={share.percent ?? 0}
              weight={share.weight}
              raw={raw}
              ticked={ticked.includes(share.index)}
              onTick={adds ? () => toggle(share.index) : undefined}
            />
          ))}
          {others.length ? (
            <Line
              name={`${others.length} others`}
              percent={tenthsOf(others) / 10}
              weight={others.reduce((sum, s) => sum + s.weight, 0)}
              raw={raw}
              apart
            />
          ) : null}
          {restName && row.special_percent !== null && row.special > 0 ? (
            <Line name={restName} percent={row.special_percent} weight={row.special} raw={raw} apart />
          ) : null}
          {row.row.map((share) =>
            share.blocked || share.left_out ? <Unlit key={share.index} share={share} name={names[share.index]} raw={raw} /> : null,
          )}
        </tbody>
      </table>
      {adds ? <Together shares={row.row.filter((share) => lit.includes(share) && ticked.includes(share.index))} names={names} /> : null}
      {more && lit.length > most ? (
        <button class="button small" type="button" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Only the strongest" : `All ${lit.length} words`}
        </button>
      ) : null}
    </div>
  );
}
