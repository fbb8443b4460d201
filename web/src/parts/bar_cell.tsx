// A weight as a bar in a cell of a table; what is too small to be seen has a sliver.

const kSliver = 0.2; // percent

export function BarCell({ weight }: { weight: number }) {
  return (
    <td class="bar">
      <svg aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 10">
        <rect width={Math.max(weight * 100, kSliver)} height="10" rx="1" />
      </svg>
    </td>
  );
}
