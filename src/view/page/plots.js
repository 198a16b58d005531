// The ledger over time, and the legend of the colours.

const kColors = ["#e8eaee", "#7db4e6", "#e6b36a", "#7fc797", "#c99be0"];

// What is plotted together, if the ledger has it.
const kPlots = [
  {title: "energy", unit: "J", columns: ["total", "kinetic", "elastic", "potential"]},
  {title: "mass", unit: "kg", columns: ["mass"], fromZero: true},
  {title: "momentum", unit: "kg m/s", columns: ["momentum"], fromZero: true},
  {title: "heat", unit: "J", columns: ["heat"]},
];

export function short(x) {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return x.toExponential(2).replace("e+", "e");
  return String(Number(x.toPrecision(4)));
}

function sharp(canvas) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(canvas.clientWidth * scale);
  canvas.height = Math.round(canvas.clientHeight * scale);
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  return context;
}

export class Plots {
  constructor(place) {
    this.place = place;
    this.begin([]);
  }

  begin(columns) {
    this.columns = columns;
    this.rows = [];
    this.place.replaceChildren();
    this.plots = kPlots.filter((plot) => plot.columns.some((c) => columns.includes(c))).map((plot) => {
      const figure = document.createElement("figure"), caption = document.createElement("figcaption");
      const canvas = document.createElement("canvas");
      canvas.setAttribute("role", "img");
      figure.append(caption, canvas);
      this.place.append(figure);
      return {...plot, caption, canvas};
    });
  }

  add(first, rows) {
    this.rows = this.rows.slice(0, first).concat(rows);
  }

  draw(time) {
    const times = this.rows.map((row) => row[0]);
    for (const plot of this.plots) this.drawOne(plot, times, time);
  }

  drawOne({title, unit, columns, fromZero, caption, canvas}, times, time) {
    const series = columns.map((name) => {
      const at = this.columns.indexOf(name);
      return this.rows.map((row) => row[at] ?? NaN);
    });
    const all = series.flat().filter(Number.isFinite);
    // Of long runs there are more than a function takes arguments.
    let low = all.reduce((a, b) => Math.min(a, b), Infinity), high = all.reduce((a, b) => Math.max(a, b), -Infinity);
    if (!all.length) [low, high] = [0, 1];
    if (fromZero) low = Math.min(low, 0);
    if (!(high > low)) high = low + (Math.abs(low) || 1);
    const context = sharp(canvas), width = canvas.clientWidth, height = canvas.clientHeight;
    const last = Math.max(times.at(-1) ?? 0, 1e-9);
    const x = (t) => t / last * (width - 2) + 1;
    const y = (v) => height - 3 - (v - low) / (high - low) * (height - 6);
    context.strokeStyle = "#32373f";
    context.strokeRect(0.5, 0.5, width - 1, height - 1);
    if (low < 0 && high > 0) this.line(context, "#32373f", [[0, y(0)], [width, y(0)]]);
    series.forEach((values, k) =>
      this.line(context, kColors[k], values.map((v, i) => [x(times[i]), y(v)])));
    if (Number.isFinite(time)) this.line(context, "#7db4e688", [[x(time), 0], [x(time), height]]);
    context.font = "10.5px system-ui, sans-serif";
    this.write(context, short(high), 4, 12);
    this.write(context, short(low), 4, height - 5);
    const end = `${short(last)} s`;
    this.write(context, end, width - 4 - context.measureText(end).width, height - 5);
    canvas.setAttribute("aria-label", `${title}: ${short(all.at(-1))} ${unit}`);
    this.name(caption, title, unit, columns);
  }

  name(caption, title, unit, columns) {
    if (caption.childElementCount) return;
    const heading = document.createElement("b");
    heading.textContent = `${title}, ${unit}`;
    caption.append(heading);
    if (columns.length > 1)
      columns.forEach((column, k) => {
        const word = document.createElement("span");
        word.textContent = column;
        word.style.color = kColors[k];
        caption.append(word);
      });
  }

  // On ground of its own, so that lines do not cross it.
  write(context, text, x, y) {
    context.fillStyle = "#1c1f24cc";
    context.fillRect(x - 2, y - 9, context.measureText(text).width + 4, 12);
    context.fillStyle = "#969da8";
    context.fillText(text, x, y);
  }

  line(context, color, places) {
    context.strokeStyle = color;
    context.lineWidth = 1.3;
    context.beginPath();
    let begun = false;
    for (const [x, y] of places) {
      if (!Number.isFinite(y)) begun = false;
      else if (begun) context.lineTo(x, y);
      else context.moveTo(x, y), begun = true;
    }
    context.stroke();
  }
}

function swatch(colors) {
  const canvas = document.createElement("canvas");
  canvas.width = colors.length;
  canvas.height = 1;
  const context = canvas.getContext("2d");
  colors.forEach((c, i) => {
    context.fillStyle = `rgb(${c.join(" ")})`;
    context.fillRect(i, 0, 1, 1);
  });
  return canvas;
}

// A bar with its ends and unit, or the names of what there is.
export function showLegend(place, channel, {colors, names, range, note}) {
  place.replaceChildren();
  if (channel.category) {
    const list = document.createElement("ul");
    names.forEach((name, i) => {
      const item = document.createElement("li");
      item.append(swatch([colors[i] ?? [128, 128, 128]]), name || `${channel.name} ${i}`);
      list.append(item);
    });
    place.append(list);
    return;
  }
  const ends = document.createElement("div");
  ends.className = "ends";
  const middle = [channel.unit, note].filter(Boolean).join(", ");
  for (const text of [short(range[0]), middle, short(range[1])]) {
    const span = document.createElement("span");
    span.textContent = text;
    ends.append(span);
  }
  place.append(swatch(colors), ends);
}
