// The page's data: typed arrays as gzip in base64. Words are differences to the word `stride`
// before, their bytes sorted by significance, which makes both pack well.

const types = {
    f32: Float32Array,
    u32: Uint32Array,
    u16: Uint16Array,
    u8: Uint8Array,
    i8: Int8Array,
};
const words = { 4: Uint32Array, 2: Uint16Array, 1: Uint8Array };

async function inflate(text) {
    const packed = Uint8Array.from(atob(text), c => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function decode({ type, n, stride, data }) {
    const size = types[type].BYTES_PER_ELEMENT,
        bytes = await inflate(data);
    if (bytes.length !== n * size) throw new Error('a block of data is not whole');
    const sorted = new Uint8Array(n * size);
    for (let b = 0; b < size; b++)
        for (let i = 0; i < n; i++) sorted[i * size + b] = bytes[b * n + i];
    const word = new words[size](sorted.buffer);
    for (let i = stride; i < n; i++) word[i] += word[i - stride];
    return new types[type](sorted.buffer);
}

async function decodeAll(object) {
    const out = {};
    for (const [key, value] of Object.entries(object)) out[key] = await decode(value);
    return out;
}

// One run: arrays decoded, and where the contacts of each frame start.
async function decodeRun(run) {
    Object.assign(run, await decodeAll(run.arrays));
    run.series = await decodeAll(run.series);
    if (run.contacts) {
        const c = run.contacts;
        Object.assign(c, await decodeAll(c.arrays));
        c.start = new Uint32Array(c.count.length + 1);
        for (let i = 0; i < c.count.length; i++) c.start[i + 1] = c.start[i] + c.count[i];
    }
    return run;
}

export async function readReport() {
    if (typeof DecompressionStream === 'undefined')
        throw new Error(
            'this browser cannot unpack the report: use Chrome 80, Firefox 113, Safari 16.4 or later',
        );
    const text = document.getElementById('data').textContent;
    let report;
    try {
        report = JSON.parse(text);
    } catch {
        throw new Error('the file is not whole: its data cannot be read');
    }
    for (const run of report.runs) await decodeRun(run);
    return report;
}

// The last index whose value is not above x (0 if there is none).
export function lastUpTo(values, x) {
    let low = 0,
        high = values.length;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (values[middle] <= x) low = middle;
        else high = middle;
    }
    return low;
}
