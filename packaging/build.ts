/** `npm run package`: builds the npm package, its tarball and the bundle for Claude Desktop in dist/. */
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packExtension } from '@anthropic-ai/mcpb'
import { grammars } from '../engines/parsing/grammars/index.ts'
import packageInfo from '../package.json' with { type: 'json' }
import { bundle, root } from './bundle.ts'
import { desktopManifest, npmManifest } from './manifests.ts'

const run = promisify(execFile)
const dist = join(root, 'dist')
const folder = join(dist, 'npm')
const desktop = join(dist, 'desktop')

await rm(dist, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
await bundle(folder)
await writeJson(join(folder, 'package.json'), npmManifest())
await run('npm', ['pack', '--pack-destination', dist], { cwd: folder })
const tarball = join(dist, `${packageInfo.name}-${packageInfo.version}.tgz`)

await makeDesktop()
const extension = join(dist, `${packageInfo.name}.mcpb`)
const packed = await packExtension({ extensionPath: desktop, outputPath: extension, silent: true })
if (!packed) throw new Error('the bundle for Claude Desktop could not be packed')

for (const [path, unpacked] of [
  [tarball, folder],
  [extension, desktop],
] as const) {
  console.log(`${path}: ${megabytes((await stat(path)).size)}, unpacked ${megabytes(await sizeOf(unpacked))}`)
}
await rm(desktop, { recursive: true })

/** Adds the dependencies to the programs. Uses the WebAssembly parser, because one file serves every platform. */
async function makeDesktop(): Promise<void> {
  await cp(folder, desktop, { recursive: true })
  const { dependencies } = npmManifest()
  const parser = `@oxc-parser/binding-wasm32-wasi@${dependencies['oxc-parser']}`
  const install = ['install', '--no-save', '--no-package-lock', '--omit=optional', '--ignore-scripts', '--force']
  await run('npm', [...install, '--no-audit', '--no-fund', parser], { cwd: desktop })
  for (const unused of ['web-tree-sitter/debug', 'tslib/tslib.html', 'tslib/tslib.es6.html']) {
    await rm(join(desktop, 'node_modules', unused), { recursive: true, force: true })
  }
  await removeUnusedGrammars(join(desktop, 'node_modules/@vscode/tree-sitter-wasm/wasm'))
  await rm(join(desktop, 'node_modules/.bin'), { recursive: true, force: true })
  await writeJson(join(desktop, 'manifest.json'), desktopManifest())
}

async function removeUnusedGrammars(wasm: string): Promise<void> {
  const used = Object.values(grammars).map((grammar) => `tree-sitter-${grammar.wasm}.wasm`)
  for (const name of await readdir(wasm)) if (!used.includes(name)) await rm(join(wasm, name))
}

function writeJson(path: string, value: unknown) {
  return writeFile(path, `${JSON.stringify(value, null, 2)}\n`)
}

async function sizeOf(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`
}
