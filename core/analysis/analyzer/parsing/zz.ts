import { ParsePool } from './pool.ts'
const r = (x: string, n = 20000) => x.repeat(n)
const t0 = performance.now()
await using pool = new ParsePool({ checkNesting: process.argv[2] !== 'off' })
pool.warm(['ts'])
const inputs: [string, string, string][] = [['good', 'ts', 'export function a() { return 1 }'], ['brackets', 'ts', r('[')], ['arrows', 'ts', r('a=>') + '1'], ['good2', 'ts', 'export function b() { return 1 }'], ['jsx', 'tsx', r('<a>') + r('</a>')], ['good3', 'python', 'def c():\n  return 1\n'], ['soup', 'php', '<?php ' + r('if ( foreach match [ => class ] ) fn ', 4000)], ['nul', 'ts', r('\0', 100000)], ['unicode', 'ruby', r('\u{1F600}é', 200000)], ['py', 'python', r('(')], ['plus', 'ts', '1' + r('+1')],['good4', 'ts', 'export function d() { return 1 }'] ]
await Promise.all(inputs.map(async ([n, d, s]) => { const x = await pool.parse(Buffer.from(s), d as never); console.log((performance.now() - t0).toFixed(), n, 'facts' in x ? `facts ${x.facts.symbols.length} ${x.facts.syntaxErrors}` : x.unparsed) }))
console.log(pool.pids)
