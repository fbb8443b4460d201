// Light or dark: what the system prefers until the reader chooses; the choice is kept in this browser.
import { useEffect, useState } from "preact/hooks";
import { keep, kept } from "./kept";

const kKey = "limelight-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

export function applyTheme() {
  document.documentElement.dataset.theme = kept(kKey) ?? (dark.matches ? "dark" : "light");
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState(document.documentElement.dataset.theme);
  useEffect(() => {
    const follow = () => {
      applyTheme();
      setTheme(document.documentElement.dataset.theme);
    };
    dark.addEventListener("change", follow);
    return () => dark.removeEventListener("change", follow);
  }, []);
  const other = theme === "dark" ? "light" : "dark";
  const change = () => {
    keep(kKey, other);
    applyTheme();
    setTheme(other);
  };
  return (
    <button class="quiet" type="button" onClick={change} title={`Show it ${other}`}>
      <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="7.25" fill="none" stroke="currentColor" stroke-width="1.5" />
        <path d="M10 2.75a7.25 7.25 0 0 1 0 14.5z" fill="currentColor" />
      </svg>
      <span>{other === "dark" ? "Dark" : "Light"}</span>
    </button>
  );
}
