// Bundles the page's script and style, with the licences of what is in them: node build.mjs [FOLDER]
import * as esbuild from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'vendor');
mkdirSync(out, { recursive: true });
await esbuild.build({
    absWorkingDir: here,
    entryPoints: { page: 'src/main.js' },
    outdir: out,
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['chrome109', 'firefox115', 'safari16.4'],
    legalComments: 'none',
    logLevel: 'warning',
});

const { dependencies } = JSON.parse(readFileSync(join(here, 'package.json')));
const licences = Object.entries(dependencies).map(
    ([name, version]) =>
        `${name} ${version}\n\n${readFileSync(join(here, 'node_modules', name, 'LICENSE'), 'utf8').trim()}\n`,
);
writeFileSync(
    join(out, 'LICENSES.txt'),
    'page.js and page.css hold parts of these packages.\n\n' +
        licences.join('\n' + '-'.repeat(72) + '\n\n'),
);
