// Plots over time, linked with the replay: a line at the current frame, a click goes there.
import uPlot from 'uplot';
import { lastUpTo } from './data.js';

const COLOURS = ['#c2410c', '#2563c4', '#15803d', '#9333ea', '#a16207', '#0e7490', '#475569'];

export const runColour = i => COLOURS[i % COLOURS.length];

const present = values => values.some(v => Number.isFinite(v));
const nullable = values => Array.from(values, v => (Number.isFinite(v) ? v : null));

function size(node) {
    return { width: Math.max(280, node.clientWidth - 12), height: 170 };
}

export class Plots {
    constructor(container, runs, figures, onTime) {
        this.plots = [];
        for (const figure of figures) {
            const of = runs.filter(
                run => run.series[figure.key] && present(run.series[figure.key]),
            );
            if (of.length) this.add(container, runs, of, figure, onTime);
        }
        this.resize();
    }

    add(container, runs, of, figure, onTime) {
        const node = document.createElement('div'),
            title = document.createElement('p'),
            now = document.createElement('div');
        ((node.className = 'plot'), (title.className = 'title'), (now.className = 'now'));
        node.dataset.figure = figure.key;
        title.textContent = figure.label;
        node.append(title, now);
        container.append(node);
        const tables = of.map(run => [
            Array.from(run.times),
            nullable(run.series[figure.key].map(v => v * (figure.factor?.(run) ?? 1))),
        ]);
        const format = v =>
            v == null
                ? ''
                : Number(v)
                      .toPrecision(4)
                      .replace(/\.?0+(e|$)/, '$1');
        const options = {
            ...size(node),
            scales: { x: { time: false }, y: figure.log ? { distr: 3 } : {} },
            axes: [
                { label: 't, s', labelSize: 16, size: 34, font: '11px sans-serif' },
                {
                    size: 62,
                    font: '11px sans-serif',
                    values: (u, ticks) =>
                        ticks.map(v => (v == null ? '' : Number(v.toPrecision(4)).toString())),
                },
            ],
            cursor: { y: false, show: true, drag: { x: true, y: false } },
            series: [
                { label: 't, s', value: (u, v) => format(v) },
                ...of.map(run => ({
                    label: run.label,
                    stroke: runColour(runs.indexOf(run)),
                    width: 1.5,
                    points: { show: false },
                    value: (u, v) => format(v),
                })),
            ],
        };
        const plot = new uPlot(options, uPlot.join(tables), node);
        plot.over.addEventListener('click', event => {
            const x = event.clientX - plot.over.getBoundingClientRect().left;
            onTime(plot.posToVal(x, 'x'));
        });
        this.plots.push({ plot, node, now });
    }

    // Where the line stands.
    setTime(t) {
        for (const { plot, node, now } of this.plots) {
            const over = plot.over.getBoundingClientRect(),
                box = node.getBoundingClientRect();
            const x = plot.valToPos(t, 'x');
            plot.setLegend({ idx: lastUpTo(plot.data[0], t + 1e-9) });
            now.style.left = `${over.left - box.left + x}px`;
            now.style.top = `${over.top - box.top}px`;
            now.style.height = `${over.height}px`;
            now.hidden = !(x >= 0 && x <= over.width + 1);
        }
    }

    resize() {
        for (const { plot, node } of this.plots) plot.setSize(size(node));
    }
}
