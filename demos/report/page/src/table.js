// Medians and maxima of every run.

const finite = values => Array.from(values ?? []).filter(Number.isFinite);
const largest = values => values.reduce((a, b) => Math.max(a, b), -Infinity);
const median = values => {
    const s = values.sort((a, b) => a - b);
    return s[Math.floor(s.length / 2)];
};
const short = v => (v === 0 ? '0' : Number(v.toPrecision(4)).toString());

function rowsOf(runs) {
    const percent = run => (run.meanVolume > 0 ? 100 / run.meanVolume : 0);
    const rows = [
        [
            'overlap, median, % of a body',
            run => run.figures.overlapMedian * percent(run),
            'overlap_median',
        ],
        ['overlap, max, % of a body', run => run.figures.overlapMax * percent(run), 'overlap_max'],
        [
            'deepest penetration, mm',
            run => run.figures.depthMax * 1e3,
            'depth_max',
            run => run.figures.depthMax,
        ],
        ['largest energy increase in a step, J', run => run.figures.gainMax, 'energy_gain'],
    ];
    const series = (label, key, what, name) =>
        rows.push([
            label,
            run => {
                const v = finite(run.series[key]).slice(1);
                return v.length ? what(v) : NaN;
            },
            name,
        ]);
    series('contacts, median', 'contacts', median, 'contacts_median');
    series('contacts, max', 'contacts', largest, 'contacts_max');
    series('outer iterations a step, median', 'iterations', median, 'iterations_median');
    series('outer iterations a step, max', 'iterations', largest, 'iterations_max');
    rows.push([
        'unconverged islands, sum',
        run => {
            const v = finite(run.series.unconverged);
            return v.length ? v.reduce((a, b) => a + b, 0) : NaN;
        },
        'unconverged',
    ]);
    series('time a step, median, ms', 'ms', median, 'ms_median');
    series('time a step, max, ms', 'ms', largest, 'ms_max');
    rows.push(['steps', run => run.figures.steps, 'steps'], ['h, s', run => run.h, 'h']);
    return rows.filter(([, value]) => runs.some(run => Number.isFinite(value(run))));
}

export function makeTable(runs) {
    const table = document.createElement('table');
    table.className = 'figures';
    const head = table.createTHead().insertRow(),
        body = table.createTBody();
    head.append(
        document.createElement('th'),
        ...runs.map(run => Object.assign(document.createElement('th'), { textContent: run.label })),
    );
    for (const [label, value, name, exact] of rowsOf(runs)) {
        const row = body.insertRow();
        row.append(Object.assign(document.createElement('th'), { textContent: label }));
        runs.forEach((run, i) => {
            const cell = row.insertCell(),
                v = value(run);
            cell.textContent = Number.isFinite(v) ? short(v) : '-';
            cell.dataset.figure = name;
            cell.dataset.run = i;
            cell.dataset.value = (exact ?? value)(run);
        });
    }
    return table;
}
