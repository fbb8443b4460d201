// The map of the head on show in an exported file: a row for every word that looks.
import { useMemo, useState } from "preact/hooks";
import type { Row } from "../contract";
import { Heatmap } from "../parts/heatmap";
import { anyBlocked, Legend } from "../parts/legend";
import { shareText } from "../parts/number";
import { kNamed } from "../look/map";
import type { Shade } from "../state";

interface HeadMapProps {
  words: string[];
  rowAt: (word: number) => Row | null;
  of: string; // the head that the rows are of
  from: number[];
  onPin: (word: number) => void;
}

export function HeadMap({ words, rowAt, of, from, onPin }: HeadMapProps) {
  const [shade, setShade] = useState<Shade>("linear");
  const rows = useMemo(() => words.map((_, word) => rowAt(word)), [of]);
  const values = useMemo(() => {
    const none = words.map(() => NaN);
    return Float32Array.from(
      rows.flatMap((row) => row?.row.map((share) => (share.blocked ? NaN : share.weight)) ?? none),
    );
  }, [rows]);
  const names = words.length <= kNamed ? words : undefined;
  const cellText = (i: number, j: number) => {
    const share = rows[i]?.row[j];
    return `${words[i]} → ${words[j]}: ${share ? shareText(share.percent, share.weight) : "not kept"}`;
  };
  return (
    <div>
      <Heatmap
        label={`Map of ${words.length} words: rows look, columns are looked at`}
        rows={words.length}
        columns={words.length}
        values={values}
        shade={shade}
        rowNames={names}
        columnNames={names}
        cellText={cellText}
        pinned={from}
        onPin={onPin}
      />
      <Legend shade={shade} blocked={anyBlocked(values)} onShade={setShade} />
    </div>
  );
}
