// How numbers are written. They come from the engine; nothing is computed here but the number of digits shown.

// As sent: one decimal; what is shown as 0.0 and is not 0 says so.
export function percentText(percent: number, weight = percent): string {
  return percent === 0 && weight > 0 ? "<0.1" : percent.toFixed(1);
}

export function shareText(percent: number | null, weight: number): string {
  return percent === null ? "blocked" : `${percentText(percent, weight)} %`;
}

export function fixed(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return "not a number";
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "\u2212");
}

// 3.1e-7 as 3.1 × 10⁻⁷: differences and gradients may be very small.
export function tiny(value: number): string {
  if (value === 0) return "0";
  const [digits, power] = value.toExponential(1).split("e");
  const size = Math.abs(value);
  if (size >= 0.001 && size < 100000) return fixed(value, size < 1 ? 4 : 2);
  const raised = [...power.replace("+", "")].map((c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]).join("");
  return `${digits} × 10${raised}`;
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

export function threadsText(threads: number): string {
  return threads === 1 ? "1 thread" : `${threads} threads`;
}

const inWords = new Intl.NumberFormat("en", {
  notation: "compact",
  compactDisplay: "long",
  maximumSignificantDigits: 6,
});

// 98.01 million: from there on words are read faster than digits.
export function large(value: number): string {
  return value < 1e6 ? whole(value) : inWords.format(value);
}

const kUnits = ["bytes", "KB", "MB", "GB", "TB", "PB"];

export function bytesText(bytes: number): string {
  const step = Math.min(Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)), kUnits.length - 1);
  const value = bytes / 1000 ** step;
  return `${value >= 100 || step === 0 ? Math.round(value) : value.toFixed(1)}\u00a0${kUnits[step]}`;
}

export function secondsText(seconds: number): string {
  if (seconds >= 1) return `${seconds.toFixed(2)} s`;
  return seconds >= 0.001 ? `${(seconds * 1000).toFixed(1)} ms` : `${(seconds * 1e6).toFixed(0)} µs`;
}
