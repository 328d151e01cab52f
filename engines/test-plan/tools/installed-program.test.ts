import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { executedWords, toolsDirectory } from '../placeholders.ts'

let root: string

const names = ['npm_package_name', 'npm_package_version', 'npm_package_json', 'INIT_CWD', 'npm_lifecycle_event']
const shows = `#!/usr/bin/env node
const { env } = process
const bins = env.PATH.split(':').filter((path) => path.endsWith('node_modules/.bin'))
console.log(JSON.stringify([process.argv.slice(2), bins, ...${JSON.stringify(names)}.map((name) => env[name])]))
`

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-programs-'))
  const files = {
    'package.json': '{\n  "name": "shop",\n  "version": "1.2.3"\n}\n',
    'node_modules/shows/bin.js': shows,
    'packages/cart/package.json': '{\n  "name": "@shop/cart",\n  "version": "0.1.0"\n}\n',
    'packages/cart/node_modules/.bin/other': '',
  }
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  await chmod(join(root, 'node_modules/shows/bin.js'), 0o755)
  await mkdir(join(root, 'node_modules/.bin'))
  await symlink('../shows/bin.js', join(root, 'node_modules/.bin/shows'))
})
afterAll(() => rm(root, { recursive: true }))

function run(argv: string[], folder: string) {
  const paths = { root, output: root, deps: root, tools: toolsDirectory }
  const [program = '', ...words] = executedWords(argv, paths)
  return spawnSync(program, words, { cwd: join(root, folder), encoding: 'utf8' })
}

test('starts an installed program of the package or of a folder above, with the variables of npm', () => {
  const words = ['two words', "$it's", '--reporter=json']
  const [args, bins, ...values] = JSON.parse(run(['npx', '--no-install', 'shows', ...words], 'packages/cart').stdout)
  expect(args).toEqual(words)
  const above = join(root, 'node_modules/.bin')
  expect(bins.slice(0, 2)).toEqual([join(root, 'packages/cart/node_modules/.bin'), above])
  const package_ = join(root, 'packages/cart/package.json')
  expect(values).toEqual(['@shop/cart', '0.1.0', package_, join(root, 'packages/cart'), 'npx'])
})

test('leaves a program that is not installed to npx, which says so', () => {
  const { status, stderr } = run(['npx', '--no-install', 'no-such-program-of-shop'], '')
  expect(status).toBe(1)
  expect(stderr).toContain('no-such-program-of-shop')
})

test('passes other commands on as they are', () => {
  const paths = { root, output: '/out', deps: root, tools: toolsDirectory }
  expect(executedWords(['node', '--test', '{output}/a'], paths)).toEqual(['node', '--test', '/out/a'])
})
