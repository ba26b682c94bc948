// Where to look: the same box, direction and scale for all runs.
import { reach } from './shapes.js';

const cross = (a, b) => [
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
];
const unit = a => {
    const l = Math.hypot(...a);
    return l > 0 ? a.map(x => x / l) : null;
};

function directions(run) {
    if (run.planar) return { up: [0, 1, 0], back: [0, 0, 1] };
    const up = unit((run.gravity ?? [0, 0, -1]).map(x => -x)) ?? [0, 0, 1];
    const right = unit(cross(up, Math.abs(up[0]) > 0.6 ? [0, 1, 0] : [1, 0, 0])),
        away = cross(right, up);
    const usual = [0, 1, 2].map(k => 0.3 * right[k] - 0.78 * away[k] + 0.55 * up[k]);
    return { up, back: unit(run.camera ?? usual) };
}

// Positions of the moving bodies at some frames, without the outermost.
function spread(runs, k) {
    const values = [];
    for (const run of runs) {
        const m = run.moving.length,
            frames = run.step.length,
            every = Math.max(1, Math.floor(frames / 25));
        // falling in at first is not what matters
        for (let f = Math.floor(0.4 * (frames - 1)); f < frames; f += every)
            for (let j = 0; j < m; j++) {
                const body = run.bodies[run.moving[j]],
                    x = run.pose[7 * (f * m + j) + k];
                if (!Number.isNaN(x) && body.kind !== 'static') values.push([x, reach(body.parts)]);
            }
    }
    values.sort((a, b) => a[0] - b[0]);
    if (values.length === 0) return [-1, 1];
    const low = values[Math.floor(0.01 * values.length)],
        high = values[Math.ceil(0.99 * values.length) - 1];
    return [low[0] - low[1], high[0] + high[1]];
}

export function findRoom(runs) {
    const low = [],
        high = [],
        given = runs.find(r => r.view)?.view;
    for (let k = 0; k < 3; k++)
        [low[k], high[k]] = given ? [given[0][k], given[1][k]] : spread(runs, k);
    const extent = [0, 1, 2].map(k => high[k] - low[k]),
        size = Math.hypot(...extent) || 1;
    return { centre: [0, 1, 2].map(k => (low[k] + high[k]) / 2), size, ...directions(runs[0]) };
}
