import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readLocalTestFile } from './local-test-file.ts'
import { createRepository } from './testing/repository.ts'
import { findUncommitted, type Verified } from './uncommitted.ts'
import { keepLocal } from './verification-words.ts'

const nothingSaid = { error: null, evidence: { target: null, output: '', runs: [] } }

async function checkout(files: Record<string, string>) {
  const repository = await createRepository(files)
  const commitSha = await repository.git('rev-parse', 'HEAD')
  const find = async (path: string, verified: Partial<Verified> = {}) =>
    findUncommitted(await readLocalTestFile(join(repository.path, path)), { commitSha, ...nothingSaid, ...verified })
  return { ...repository, repository, commit: `commit ${commitSha.slice(0, 7)}`, find }
}

test('names imported files that the commit lacks, and says to commit them first', async () => {
  const { repository, write, git, find, commit } = await checkout({ 'src/price.js': '', 'src/other.js': '' })
  await using _ = repository
  const code = "import '../src/ship.js'\nimport '../src/price.js'\nimport '../lib'\n"
  await write({ 'src/ship.js': '1', 'src/unrelated.js': '1', 'src/other.js': 'changed', 'test/ship.test.js': code })
  expect(await find('test/ship.test.js')).toEqual({
    next: `src/ship.js is in your working tree but not in ${commit}: commit (and push) it first.`,
    warnings: [],
  })
  await write({ 'lib/index.ts': '1', 'src/price.js': 'changed' })
  await git('add', 'src/ship.js')
  await git('commit', '--quiet', '--message', 'Not pushed')
  const { next, warnings } = await find('test/ship.test.js')
  expect(next).toContain('are in your working tree')
  expect(next?.split(' are ')[0]?.split(', ').toSorted()).toEqual(['lib/index.ts', 'src/ship.js'])
  expect(warnings).toEqual([`src/price.js differs between your working tree and ${commit}, on which the test ran.`])
})

test('includes files that the failure or the target names, and modules of Python', async () => {
  const { repository, write, find, commit } = await checkout({ 'a.py': '', 'src/shop/cart.py': '' })
  await using _ = repository
  const code = 'from shop import tax\nfrom shop.cart import total\n'
  await write({ 'src/shop/tax.py': '1', 'src/shop/cart.py': '2', 'src/deep/name.py': '3', 'test_cart.py': code })
  expect(await find('test_cart.py')).toEqual({
    next: expect.stringMatching(/^src\/shop\/tax\.py is in/),
    warnings: [`src/shop/cart.py differs between your working tree and ${commit}, on which the test ran.`],
  })
  await writeFile(join(repository.path, 'test_cart.py'), 'import os\n')
  expect(await find('test_cart.py')).toEqual({ warnings: [] })
  const output = "Cannot find module '/work/src/deep/name.py'"
  expect(await find('test_cart.py', { evidence: { target: null, output, runs: [] } })).toMatchObject({
    next: expect.stringContaining('src/deep/name.py is in'),
  })
  const target = { path: 'src/shop/cart.py' }
  expect(await find('test_cart.py', { evidence: { target, output: '', runs: [] } })).toMatchObject({
    warnings: [expect.stringContaining('src/shop/cart.py')],
  })
})

test('finds nothing without a commit, or for one that the checkout does not have', async () => {
  const { repository, write, find } = await checkout({ 'a.js': '' })
  await using _ = repository
  await write({ 'b.js': '1', 'b.test.js': "import './b.js'" })
  for (const commitSha of [null, 'f'.repeat(40), '--output=x']) {
    expect(await find('b.test.js', { commitSha })).toEqual({ warnings: [] })
  }
})

test('knows whether the commit has the test itself, which then needs no commit', async () => {
  const { repository, write, find } = await checkout({ 'a.test.js': 'assert(1)' })
  await using _ = repository
  const kept = async () => keepLocal({ filePath: 'a.test.js' }, (await find('a.test.js')).isCommitted)
  expect(await kept()).toBe('Keep a.test.js. It is committed already.')
  await write({ 'a.test.js': 'assert(2)' })
  expect(await kept()).toBe('Keep the test: commit a.test.js.')
})
