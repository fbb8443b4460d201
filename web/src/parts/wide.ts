// Whether the page is wider than a phone.
import { useEffect, useState } from "preact/hooks";

const wider = matchMedia("(min-width: 561px)");

export function useWide(): boolean {
  const [wide, setWide] = useState(wider.matches);
  useEffect(() => {
    const follow = () => setWide(wider.matches);
    wider.addEventListener("change", follow);
    return () => wider.removeEventListener("change", follow);
  }, []);
  return wide;
}
