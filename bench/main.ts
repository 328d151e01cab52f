/** `npm run bench` lists the benchmarks; `npm run bench -- rpc` runs one. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildPrograms } from '../packaging/build-programs.ts'

const notBenches = ['goals.ts', 'main.ts', 'report.ts', 'scratch.ts']
const names = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.ts') && !notBenches.includes(name))
  .map((name) => name.slice(0, -'.ts'.length))

const [name, ...rest] = process.argv.slice(2)
if (name !== undefined && names.includes(name)) {
  // Servers run from bundles, as after `npm install`.
  await buildPrograms()
  process.argv = [...process.argv.slice(0, 2), ...rest]
  await import(join(import.meta.dirname, `${name}.ts`))
} else {
  console.log(
    `npm run bench -- <name> [arguments]. Benchmarks: ${names.join(', ')}. docs/benchmarks.md describes their arguments.`,
  )
  process.exitCode = name === undefined ? 0 : 1
}
