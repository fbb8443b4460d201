// A part of the page as an SVG: its text, canvases, arcs, bars and boxes where they stand, without what sets them.

const kMargin = 24;
const kFoot = 20; // for the line that says what it is of
const kLeftOut = ".controls, .control, .export, .button, .hint, .unseen, .told, .late, details, .band";

function escaped(text: string): string {
  const legal = text.replaceAll(/[^\t\n\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
  return legal.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

const ink = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;

// A colour as every reader of SVG knows it; empty where it is not seen.
function painted(as: "fill" | "stroke", colour: string): string {
  ink.clearRect(0, 0, 1, 1);
  ink.fillStyle = colour;
  ink.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = ink.getImageData(0, 0, 1, 1).data;
  return a ? ` ${as}="rgb(${r},${g},${b})" ${as}-opacity="${(a / 255).toFixed(3)}"` : "";
}

interface Line {
  text: string;
  box: DOMRect;
}

// The lines that a text was broken into, without the spaces around it: they may have no width of their own.
function linesOf(node: Text): Line[] {
  const whole = node.data.trim();
  const range = document.createRange();
  const start = node.data.length - node.data.trimStart().length;
  range.setStart(node, start);
  range.setEnd(node, start + whole.length);
  const [box, ...more] = range.getClientRects();
  if (!whole || !box) return [];
  if (!more.length) return [{ text: whole, box }];
  const lines: Line[] = [];
  for (const { 0: text, index } of node.data.matchAll(/\S+\s*/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + text.trimEnd().length);
    const here = range.getBoundingClientRect();
    const last = lines.at(-1);
    if (!last || last.box.top !== here.top) {
      lines.push({ text, box: here });
      continue;
    }
    last.text += text;
    last.box = new DOMRect(last.box.x, last.box.y, here.right - last.box.x, last.box.height);
  }
  return lines;
}

class Picture {
  private parts: string[] = [];
  private origin: DOMRect;

  constructor(private root: HTMLElement) {
    this.origin = root.getBoundingClientRect();
  }

  private box({ x, y, width, height }: DOMRect): string {
    const part = (value: number) => value.toFixed(1);
    const [left, top] = [x - this.origin.x + kMargin, y - this.origin.y + kMargin];
    return `x="${part(left)}" y="${part(top)}" width="${part(width)}" height="${part(height)}"`;
  }

  private text(node: Text) {
    const style = getComputedStyle(node.parentElement!);
    ink.font = style.font;
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = ink.measureText("x");
    for (const { text, box } of linesOf(node)) {
      const x = box.x - this.origin.x + kMargin;
      const y = box.y - this.origin.y + kMargin + (box.height * up) / (up + down);
      const font = `font-family="${escaped(style.fontFamily)}" font-size="${style.fontSize}" font-weight="${style.fontWeight}"`;
      this.parts.push(
        `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" textLength="${box.width.toFixed(1)}" ` +
          `lengthAdjust="spacingAndGlyphs" ${font}${painted("fill", style.color)}>${escaped(text.trim())}</text>`,
      );
    }
  }

  // Ground, glow or hatching, and a border all around.
  private ground(style: CSSStyleDeclaration, box: DOMRect) {
    const glow = style.backgroundImage.match(/^linear-gradient\((\w+\([^)]*\))/)?.[1];
    const hatched = style.backgroundImage.startsWith("repeating") ? ' fill="url(#hatch)"' : "";
    const round = ` rx="${Math.min(parseFloat(style.borderRadius) || 0, box.width / 2, box.height / 2).toFixed(1)}"`;
    const fills = [painted("fill", style.backgroundColor), glow ? painted("fill", glow) : "", hatched];
    for (const fill of fills) if (fill) this.parts.push(`<rect ${this.box(box)}${round}${fill}/>`);
    const [above, below] = [parseFloat(style.borderTopWidth), parseFloat(style.borderLeftWidth)];
    const line = above > 0 && below > 0 ? [style.borderTopColor, above] as const : null;
    const outer = style.outlineStyle !== "none" ? [style.outlineColor, parseFloat(style.outlineWidth)] as const : null;
    for (const edge of [outer, line]) {
      const stroke = edge && painted("stroke", edge[0]);
      if (stroke) this.parts.push(`<rect ${this.box(box)}${round} fill="none"${stroke} stroke-width="${edge[1]}"/>`);
    }
  }

  private drawn(shape: SVGElement, style: CSSStyleDeclaration) {
    if (shape instanceof SVGRectElement) {
      this.parts.push(`<rect ${this.box(shape.getBoundingClientRect())}${painted("fill", style.fill)}/>`);
    } else if (shape instanceof SVGPathElement) {
      const { x, y } = shape.ownerSVGElement!.getBoundingClientRect();
      const move = `translate(${x - this.origin.x + kMargin} ${y - this.origin.y + kMargin})`;
      this.parts.push(
        `<path d="${shape.getAttribute("d")}" transform="${move}" fill="none"${painted("stroke", style.stroke)} ` +
          `stroke-width="${style.strokeWidth}" stroke-linecap="round" opacity="${style.opacity}"/>`,
      );
    }
  }

  private element(element: Element) {
    if (element.matches(kLeftOut)) return;
    const style = getComputedStyle(element);
    if (element instanceof SVGElement) {
      this.drawn(element, style);
    } else {
      const box = element.getBoundingClientRect();
      this.ground(style, box);
      if (element instanceof HTMLCanvasElement) {
        const pixels = `image-rendering="${style.imageRendering}" href="${element.toDataURL()}"`;
        this.parts.push(`<image ${this.box(box)} preserveAspectRatio="none" ${pixels}/>`);
      }
    }
    for (const child of element.childNodes) {
      if (child instanceof Text) this.text(child);
      else if (child instanceof Element) this.element(child);
    }
  }

  svg(about: string): string {
    this.element(this.root);
    const width = Math.ceil(this.origin.width) + 2 * kMargin;
    const height = Math.ceil(this.origin.height) + 2 * kMargin + kFoot;
    const style = getComputedStyle(this.root);
    const colour = (name: string) => style.getPropertyValue(name);
    const foot = `x="${kMargin}" y="${height - kMargin}" font-family="${escaped(style.fontFamily)}" font-size="13"`;
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
      `role="img" aria-label="${escaped(about)}">\n<defs><pattern id="hatch" width="6" height="6" ` +
      `patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V6"${painted("stroke", colour("--edge"))}/>` +
      `</pattern></defs>\n<rect width="100%" height="100%"${painted("fill", colour("--ground"))}/>\n` +
      `${this.parts.join("\n")}\n<text ${foot}${painted("fill", colour("--dim"))}>${escaped(about)}</text>\n</svg>\n`
    );
  }
}

export function pictureOf(root: HTMLElement, about: string): Blob {
  return new Blob([new Picture(root).svg(about)], { type: "image/svg+xml" });
}
