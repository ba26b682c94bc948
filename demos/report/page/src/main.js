// The report page: replay of all runs side by side, plots and table.
import 'uplot/dist/uPlot.min.css';
import './page.css';
import { lastUpTo, readReport } from './data.js';
import { findRoom } from './room.js';
import { Plots } from './plots.js';
import { makeTable } from './table.js';
import { View } from './view.js';

const FIGURES = [
    {
        key: 'overlap',
        label: 'overlap, % of a body',
        factor: run => (run.meanVolume > 0 ? 100 / run.meanVolume : 0),
    },
    { key: 'depth', label: 'deepest penetration, mm', factor: () => 1e3 },
    { key: 'energy', label: 'energy, J' },
    { key: 'contacts', label: 'contacts' },
    { key: 'iterations', label: 'outer iterations' },
    { key: 'ms', label: 'time a step, ms' },
];
const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

const element = (tag, properties = {}, ...children) => {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
};

class Report {
    constructor(data) {
        this.data = data;
        this.runs = data.runs;
        this.master = this.runs.reduce((a, b) => (b.step.length > a.step.length ? b : a));
        const depth = Math.max(...this.runs.map(run => run.figures.depthMax));
        this.options = {
            contacts: this.mostContacts() > 600 ? 'off' : 'on',
            facets: false,
            transparent: false,
            colour: 'body',
            depthScale: depth > 1e-9 * this.runs[0].bodySize ? depth : 0,
            impulseScale: this.impulseScale(),
        };
        this.frame = 0;
        this.playing = false;
        this.speed = 1;
        this.build();
        this.setFrame(0);
        this.loop = this.loop.bind(this);
        requestAnimationFrame(this.loop);
    }

    // Of so many one sees nothing else.
    mostContacts() {
        return Math.max(
            0,
            ...this.runs.map(run =>
                (run.contacts?.count ?? []).reduce((a, b) => Math.max(a, b), 0),
            ),
        );
    }

    impulseScale() {
        // nearly all lines are shorter than the length of reference
        const all = [];
        for (const run of this.runs)
            for (const v of run.contacts?.impulse ?? []) all.push(Math.abs(v));
        return all.length ? all.sort((a, b) => a - b)[Math.floor(0.98 * all.length)] : 1;
    }

    build() {
        const page = document.getElementById('page'),
            data = this.data;
        page.textContent = '';
        document.getElementById('loading')?.remove();
        const meta = [data.version, data.machine].filter(Boolean).join(' · ');
        page.append(
            element(
                'header',
                {},
                element('h1', { textContent: data.title }),
                element('p', {}, element('code', { textContent: data.command })),
                element('p', { textContent: meta }),
            ),
        );
        page.append(this.buildViews(), this.buildBar());
        const plots = element('section', { id: 'plots' });
        page.append(plots, element('div', { className: 'scroll' }, makeTable(this.runs)));
        page.append(
            element(
                'details',
                {},
                element('summary', { textContent: 'settings' }),
                element('pre', { textContent: data.settings }),
            ),
        );
        this.views.forEach(view => {
            view.resetCamera();
            view.controls.addEventListener('change', () => this.follow(view));
        });
        this.plots = new Plots(plots, this.runs, FIGURES, t => {
            this.pause();
            this.setTime(t);
        });
        window.addEventListener('resize', () => {
            this.views.forEach(v => v.resize());
            this.plots.resize();
            this.plots.setTime(this.time);
            this.dirty = true;
        });
        window.addEventListener('keydown', event => this.key(event));
    }

    buildViews() {
        const section = element('section', { id: 'views' }),
            room = findRoom(this.runs);
        const canvases = this.runs.map((run, i) => {
            const canvas = element('canvas'),
                state = element('p', { className: 'state' });
            const view = element(
                'div',
                { className: 'view', id: `view-${i}` },
                element('h2', { textContent: run.label }),
                state,
                canvas,
            );
            section.append(view);
            return { canvas, state, node: view };
        });
        document.getElementById('page').append(section);
        this.states = canvases;
        this.views = this.runs.map((run, i) => new View(canvases[i].canvas, run, room));
        return section;
    }

    buildBar() {
        const button = (id, textContent, title, onclick) =>
            element('button', { id, textContent, title, onclick });
        const choice = (id, values, chosen, onchange) =>
            element(
                'select',
                { id, onchange },
                ...values.map(([value, text]) =>
                    element('option', { value, textContent: text, selected: value == chosen }),
                ),
            );
        const toggle = (id, text, checked, set) =>
            element(
                'label',
                {},
                element('input', {
                    id,
                    type: 'checkbox',
                    checked,
                    onchange: e => {
                        set(e.target.checked);
                        this.refresh();
                    },
                }),
                ' ' + text,
            );
        this.playButton = button('play', 'Play', 'space', () =>
            this.playing ? this.pause() : this.play(),
        );
        this.scrub = element('input', {
            id: 'scrub',
            type: 'range',
            min: 0,
            max: this.master.step.length - 1,
            value: 0,
            oninput: () => {
                this.pause();
                this.setFrame(+this.scrub.value);
            },
        });
        this.clock = element('span', { id: 'clock' });
        const o = this.options,
            bar = element(
                'div',
                { id: 'bar' },
                this.playButton,
                button('back', '◂', 'one frame back (left arrow)', () => {
                    this.pause();
                    this.setFrame(this.frame - 1);
                }),
                button('forward', '▸', 'one frame on (right arrow)', () => {
                    this.pause();
                    this.setFrame(this.frame + 1);
                }),
                this.scrub,
                this.clock,
                element(
                    'label',
                    {},
                    'speed ',
                    choice(
                        'speed',
                        SPEEDS.map(s => [s, s + 'x']),
                        1,
                        e => {
                            this.speed = +e.target.value;
                        },
                    ),
                ),
                element(
                    'label',
                    {},
                    'colour ',
                    choice(
                        'colour',
                        [
                            ['body', 'bodies'],
                            ['island', 'islands'],
                            ['none', 'overlap only'],
                        ],
                        'body',
                        e => {
                            o.colour = e.target.value;
                            this.refresh();
                        },
                    ),
                ),
                toggle('contacts', 'contacts', o.contacts === 'on', on => {
                    o.contacts = on ? 'on' : 'off';
                }),
                toggle('facets', 'separating facets', false, on => {
                    o.facets = on;
                }),
                toggle('transparent', 'transparent', false, on => {
                    o.transparent = on;
                }),
                button('reset', 'Reset view', 'home position of the camera', () => {
                    this.views.forEach(v => v.resetCamera());
                    this.dirty = true;
                }),
                button('deepest', 'Deepest', 'go to the deepest penetration', () =>
                    this.goDeepest(),
                ),
                this.legend(),
            );
        return bar;
    }

    legend() {
        const scale = this.options.depthScale;
        if (!(scale > 0))
            return element('span', { className: 'legend', textContent: 'no overlap in any run' });
        const text =
            scale >= 1e-3
                ? `${Number((1e3 * scale).toPrecision(3))} mm`
                : `${Number((1e3 * scale).toPrecision(2))} mm`;
        return element('span', { className: 'legend' }, 'overlap 0', element('i'), text);
    }

    key(event) {
        if (['INPUT', 'SELECT'].includes(event.target.tagName) && event.target.type !== 'checkbox')
            return;
        const keys = {
            ' ': () => (this.playing ? this.pause() : this.play()),
            ArrowLeft: () => this.setFrame(this.frame - 1),
            ArrowRight: () => this.setFrame(this.frame + 1),
            Home: () => this.setFrame(0),
            End: () => this.setFrame(Infinity),
        };
        if (!keys[event.key]) return;
        event.preventDefault();
        keys[event.key]();
    }

    follow(view) {
        for (const other of this.views) if (other !== view) other.takeCamera(view);
        this.dirty = this.turned = true;
    }

    goDeepest() {
        this.pause();
        const run = this.runs.reduce((a, b) => (b.figures.depthMax > a.figures.depthMax ? b : a));
        this.setTime(run.figures.depthTime);
    }

    play() {
        if (this.frame >= this.master.step.length - 1) this.setFrame(0);
        this.playing = true;
        this.started = performance.now();
        this.from = this.time;
        this.playButton.textContent = 'Pause';
    }

    pause() {
        this.playing = false;
        this.playButton.textContent = 'Play';
    }

    setTime(t) {
        const times = this.master.time,
            k = lastUpTo(times, t + 1e-9);
        this.setFrame(k + 1 < times.length && times[k + 1] - t < t - times[k] ? k + 1 : k);
    }

    setFrame(k) {
        this.frame = Math.max(0, Math.min(this.master.step.length - 1, k));
        this.time = this.master.time[this.frame];
        this.scrub.value = this.frame;
        this.scrub.dataset.frame = this.frame;
        this.clock.textContent = `t = ${this.time.toFixed(3)} s, step ${this.master.step[this.frame]}`;
        this.refresh();
        this.plots?.setTime(this.time);
    }

    refresh() {
        this.runs.forEach((run, i) => {
            const k = lastUpTo(run.time, this.time + 1e-9 + 1e-6 * run.h);
            this.views[i].show(k, this.options);
            this.describe(run, k, this.states[i]);
        });
        this.dirty = this.turned = true;
    }

    describe(run, k, { state, node }) {
        const at = lastUpTo(run.times, run.time[k] + 1e-6 * run.h),
            depth = run.series.depth[at],
            m = run.moving.length;
        let deepest = -1,
            most = 0,
            there = 0,
            asleep = 0;
        for (let j = 0; j < m; j++) {
            if (run.depth[k * m + j] > most)
                [most, deepest] = [run.depth[k * m + j], run.moving[j]];
            if (
                Number.isNaN(run.pose[7 * (k * m + j)]) ||
                run.bodies[run.moving[j]].kind !== 'dynamic'
            )
                continue;
            there++;
            asleep += run.asleep?.[k * m + j] ?? 0;
        }
        const n = run.contacts ? run.series.contacts?.[at] : NaN;
        const parts = [`step ${run.step[k]}`, `${there} bodies`];
        if (Number.isFinite(n)) parts.push(`${n} contacts`);
        if (asleep) parts.push(`${asleep} asleep`);
        state.textContent = parts.join(', ') + ', ';
        const deep =
            deepest >= 0 && most > 1e-6 * this.options.depthScale && this.options.depthScale > 0;
        state.append(
            deep
                ? element('span', {
                      className: 'deep',
                      textContent: `deepest now ${Number((1e3 * depth).toPrecision(3))} mm (${run.bodies[deepest].name})`,
                  })
                : 'no overlap',
        );
        node.dataset.step = run.step[k];
        node.dataset.depth = depth;
        node.dataset.red = deep ? 1 : 0;
    }

    loop(now) {
        if (this.playing) this.advance(now);
        if (this.dirty) {
            if (this.turned) this.views.forEach(v => v.cull());
            this.views.forEach(v => v.draw());
            this.dirty = this.turned = false;
        }
        requestAnimationFrame(this.loop);
    }

    advance(now) {
        const t = this.from + (this.speed * (now - this.started)) / 1e3,
            times = this.master.time;
        const k = lastUpTo(times, t + 1e-9);
        if (k !== this.frame) this.setFrame(k);
        if (t >= times[times.length - 1]) this.pause();
    }
}

function fail(error) {
    const box = document.getElementById('error');
    box.textContent = 'The report cannot be shown: ' + error.message;
    box.hidden = false;
    document.getElementById('loading')?.remove();
}

const begun = performance.now();
readReport()
    .then(data => {
        window.report = new Report(data);
        document.body.dataset.ready = Math.round(performance.now() - begun);
    })
    .catch(error => {
        fail(error);
        console.error(error);
    });
