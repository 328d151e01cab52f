import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { projectRoot, viteConfig } from './vite-config.ts'

const output = resolve(projectRoot, 'dashboard/dist')
const recordName = 'build.json'
/** Smaller files do not get smaller in transit. */
const minCompressedBytes = 1_024

/** Which files a build was made of, to find out whether they changed. */
interface BuildRecord {
  /** SHA-256 by path from the root of the project. */
  inputs: Record<string, string>
}

/**
 * Builds the dashboard in `dashboard/dist`, compressed, unless the last build was made of the same files. A build that
 * fails leaves the last one in place.
 *
 * @returns false if nothing had to be built
 */
export async function buildDashboard(): Promise<boolean> {
  if (await isCurrent()) return false
  const next = `${output}-${process.pid}`
  const mode = process.env['NODE_ENV']
  // Vite would build for development if a test or a developer has set it.
  process.env['NODE_ENV'] = 'production'
  try {
    // Loading Vite takes longer than finding out that nothing changed.
    const { build } = await import('vite')
    const result = await build({
      ...viteConfig,
      build: {
        outDir: next,
        emptyOutDir: true,
        // Vite writes small files into the code as `data:` addresses, which the content security policy refuses.
        assetsInlineLimit: 0,
        // The newest browsers of two years ago.
        target: ['chrome120', 'firefox121', 'safari17.2'],
        modulePreload: { polyfill: false },
        sourcemap: false,
        rolldownOptions: {
          checks: { bundlerTimings: false },
          // TanStack's packages mark what runs in browsers, which here is everything.
          onwarn: (warning, warn) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || warn(warning),
        },
      },
    })
    const modules = [result].flat().flatMap((one) => ('output' in one ? one.output : []))
    await compress(next)
    const inputs = await hashInputs(modules.flatMap((chunk) => ('moduleIds' in chunk ? chunk.moduleIds : [])))
    await writeFile(join(next, recordName), JSON.stringify({ inputs } satisfies BuildRecord))
    await rm(output, { recursive: true, force: true })
    await rename(next, output)
  } finally {
    // The programs that are started next would take it for theirs.
    if (mode === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = mode
    await rm(next, { recursive: true, force: true })
  }
  return true
}

async function isCurrent(): Promise<boolean> {
  const text = await readFile(join(output, recordName), 'utf8').catch(() => undefined)
  if (text === undefined) return false
  const { inputs }: BuildRecord = JSON.parse(text)
  const changed = await Promise.all(
    Object.entries(inputs).map(async ([path, hash]) => (await hashOf(join(projectRoot, path))) !== hash),
  )
  return !changed.includes(true)
}

/** Hashes the sources of the modules, and the files that decide what is built of them. */
async function hashInputs(moduleIds: readonly string[]): Promise<Record<string, string>> {
  const sources = moduleIds
    .map((id) => relative(projectRoot, id.split('?', 1)[0] ?? ''))
    .filter((path) => !path.startsWith('..') && !path.startsWith('node_modules/') && !path.includes('\0'))
  const styles = (await readdir(resolve(projectRoot, 'dashboard'), { recursive: true }))
    .filter((path) => path.endsWith('.css') && !path.startsWith('dist'))
    .map((path) => join('dashboard', path))
  const others = [
    'package-lock.json',
    'dashboard/index.html',
    'local/dashboard/vite-config.ts',
    'local/dashboard/build.ts',
  ]
  const inputs: Record<string, string> = {}
  for (const path of new Set([...others, ...sources, ...styles])) {
    const hash = await hashOf(join(projectRoot, path))
    if (hash !== undefined) inputs[path] = hash
  }
  return inputs
}

async function hashOf(path: string): Promise<string | undefined> {
  const content = await readFile(path).catch(() => undefined)
  return content && createHash('sha256').update(content).digest('base64url')
}

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

/** Writes `.br` and `.gz` next to each file, so that the server compresses nothing. */
async function compress(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name)
        const content = await readFile(path)
        if (content.length < minCompressedBytes) return
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
        await writeFile(`${path}.br`, await toBrotli(content, { params }))
        await writeFile(`${path}.gz`, await toGzip(content, { level: 9 }))
      }),
  )
}
