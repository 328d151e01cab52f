import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { basename, join, resolve } from 'node:path'
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild'
import packageInfo from '../package.json' with { type: 'json' }

export const root = resolve(import.meta.dirname, '..')

/** Two programs that users start, and two that these start. */
const programs = {
  assay: 'cli/main.ts',
  'assay-mcp': 'mcp-server/main.ts',
  'working-tree-process': 'client/working-tree-process.ts',
  worker: 'engines/parsing/worker.ts',
}

/** Packages with native or WebAssembly files, which cannot be bundled. */
export const externalPackages = ['oxc-parser', '@vscode/tree-sitter-wasm', 'web-tree-sitter'] as const

const languageData = 'engines/languages/linguist'

/** What all bundles have in common. */
export const forNode = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  chunkNames: 'chunk-[hash]',
  format: 'esm',
  platform: 'node',
  // esbuild cannot follow the `require` calls in `main` of jsonc-parser.
  mainFields: ['module', 'main'],
  external: [...externalPackages, ...externalPackages.map((name) => `${name}/*`)],
  // Some packages are CommonJS and require built-in modules.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'\nconst require = requireFrom(import.meta.url)",
  },
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
} as const satisfies BuildOptions

/** Keeps only the English messages of zod. The fifty languages take a tenth of the package. */
const oneLanguage: Plugin = {
  name: 'one-language',
  setup: (build) => {
    build.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}

/** tRPC asks of each input whether it is a form. Node would load undici for the class, which takes 10 MiB and 30 ms. */
const formsByName: Plugin = {
  name: 'forms-by-name',
  setup: (build) => {
    build.onLoad({ filter: /@trpc\/client\/dist\/httpLink-[^/]*\.mjs$/ }, async ({ path }) => {
      const byClass = 'input instanceof FormData'
      const [before, after, ...others] = (await readFile(path, 'utf8')).split(byClass)
      if (after === undefined || others.length > 0) throw new Error(`${path} does not have one "${byClass}".`)
      return { contents: `${before}Object.prototype.toString.call(input) === '[object FormData]'${after}` }
    })
  },
}

/** Exports of `node:http` that no program imports. Reading one takes 15 ms. */
const loadUndici = new Set(['WebSocket', 'CloseEvent', 'MessageEvent'])

/** Their functions load them when they are called. Both together take 4 MiB and 8 ms. */
const loadedByCalls = new Set(['node:crypto', 'node:https'])

/**
 * Takes the modules of Node from `process.getBuiltinModule`. An `import` of one reads all its exports, some of
 * which load further modules.
 */
const builtinModules: Plugin = {
  name: 'builtin-modules',
  setup: (build) => {
    build.onResolve({ filter: /^[a-z:/_]+$/ }, ({ path, kind }) =>
      kind === 'import-statement' && isBuiltin(path) ? { path, namespace: 'builtin', sideEffects: false } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
      const name = JSON.stringify(path)
      // Exports that no module imports are left out, because the calls are marked as pure.
      const exports = Object.entries(process.getBuiltinModule(path) ?? {})
        .filter(([key]) => key !== 'default' && !loadUndici.has(key))
        .map(([key, value], index) => {
          // A class has to be itself.
          const isFunction = typeof value === 'function' && /^[a-z]/.test(key)
          return loadedByCalls.has(path) && isFunction
            ? `let loaded${index}; const export${index} = (...given) => (loaded${index} ??= get('${key}'))(...given); export { export${index} as ${key} }`
            : `const export${index} = /* @__PURE__ */ get('${key}'); export { export${index} as ${key} }`
        })
      return {
        contents: [
          `const get = (key) => process.getBuiltinModule(${name})[key]`,
          ...exports,
          `export default /* @__PURE__ */ process.getBuiltinModule(${name})`,
        ].join('\n'),
      }
    })
  },
}

/** What programs need less memory and time with. */
export const leaner = [oneLanguage, formsByName, builtinModules]

/**
 * Bundles the clients with most packages as JavaScript in `folder`. All files share one folder, because the programs
 * look for each other and for their data there.
 */
export async function bundle(folder: string): Promise<void> {
  const lib = join(folder, 'lib')
  const { metafile } = await build({
    ...forNode,
    entryPoints: Object.entries(programs).map(([out, program]) => ({ in: program, out })),
    outdir: lib,
    target: 'node22.18',
    minifySyntax: true,
    minifyWhitespace: true,
    plugins: leaner,
  })
  await mkdir(join(lib, 'linguist'))
  for (const name of ['heuristics.json', 'languages.json', 'paths.json', 'NOTICE.md']) {
    await copyFile(join(root, languageData, name), join(lib, 'linguist', name))
  }
  await mkdir(join(folder, 'bin'))
  for (const name of Object.keys(packageInfo.bin)) {
    await writeFile(join(folder, 'bin', `${name}.js`), await starter(name), { mode: 0o755 })
  }
  await writeFile(join(folder, 'THIRD-PARTY.md'), await notices(metafile))
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  await copyFile(join(import.meta.dirname, 'README.md'), join(folder, 'README.md'))
  await cp(join(root, 'skills'), join(folder, 'skills'), { recursive: true }).catch(unlessMissing)
}

const starter = async (name: string) =>
  (await readFile(join(import.meta.dirname, 'starter.js'), 'utf8')).replaceAll('PROGRAM', name)

/** Collects the licenses of bundled packages, which must be distributed with the code. */
async function notices({ inputs }: Metafile): Promise<string> {
  const folders = new Set(
    Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []),
  )
  const parts = await Promise.all([...folders].toSorted().map(notice))
  return ['# Licenses of the bundled packages', ...parts].join('\n\n')
}

async function notice(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'))
  const files = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'LICENCE', 'license', 'License.md']
  for (const file of files) {
    const text = await readFile(join(root, folder, file), 'utf8').catch(unlessMissing)
    if (text !== undefined) return `## ${name} ${version} (${license})\n\n${text.trim()}`
  }
  return `## ${name ?? basename(folder)} ${version} (${license})`
}

export function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
