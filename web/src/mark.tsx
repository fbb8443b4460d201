// The sign of the product: a lamp and its cone of light.
export function Mark() {
  return (
    <svg viewBox="0 0 26 26" aria-hidden="true">
      <path d="M8 9 L2 24 H24 Z" fill="var(--light)" opacity="0.35" />
      <circle cx="9.5" cy="6" r="4" fill="var(--light)" />
      <ellipse cx="13" cy="23.5" rx="11" ry="2" fill="var(--light)" />
    </svg>
  );
}
