// What this browser keeps from one visit to the next. One that keeps nothing starts anew each time.

export function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function keep(key: string, value: string) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Nothing is lost but the way back to it.
  }
}
