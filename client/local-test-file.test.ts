import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { maxTestBytes, readLocalTestFile } from './local-test-file.ts'

let folder: string
let checkout: string
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'assay-test-file-')))
  checkout = join(folder, 'shop')
  for (const top of [checkout, join(folder, 'private')]) {
    await mkdir(join(top, '.git'), { recursive: true })
    await mkdir(join(top, 'test'))
    await writeFile(join(top, 'test', 'cart.test.js'), '// of the cart: ✓\n')
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('reads a test with its path in the checkout', async () => {
  const read = await readLocalTestFile(join(checkout, 'test', '..', 'test', 'cart.test.js'))
  expect(read).toMatchObject({
    repository: { root: checkout },
    filePath: 'test/cart.test.js',
    code: '// of the cart: ✓\n',
  })
})

test('follows a symbolic link within the checkout, and refuses one out of it', async () => {
  await symlink('cart.test.js', join(checkout, 'test', 'alias.test.js'))
  expect(await readLocalTestFile(join(checkout, 'test', 'alias.test.js'))).toMatchObject({
    filePath: 'test/cart.test.js',
  })
  await symlink(join(folder, 'private', 'test', 'cart.test.js'), join(checkout, 'test', 'out.test.js'))
  await symlink(join(folder, 'private', 'test'), join(checkout, 'elsewhere'))
  for (const path of ['test/out.test.js', 'elsewhere/cart.test.js']) {
    await expect(readLocalTestFile(join(checkout, path))).rejects.toThrow('leads out of its checkout')
  }
})

test.each([
  ['a file of git', '.git/config', 'belongs to git'],
  ['no checkout', '../loose.test.js', 'is not inside a git working tree'],
  ['no file', 'test/missing.test.js', 'does not exist'],
  ['a folder', 'test', 'is not a regular file'],
  ['a pipe', 'pipe.test.js', 'is not a regular file'],
  ['an empty file', 'empty.test.js', 'is empty'],
  ['a large file', 'large.test.js', '262145 bytes; the maximum is 256 KiB'],
  ['a binary file', 'binary.test.js', 'is not UTF-8 text'],
])('%s is refused in words', async (_what, path, message) => {
  await writeFile(join(folder, 'loose.test.js'), '// here')
  await writeFile(join(checkout, '.git', 'config'), '[core]')
  await writeFile(join(checkout, 'empty.test.js'), '')
  await writeFile(join(checkout, 'large.test.js'), 'x'.repeat(maxTestBytes + 1))
  await writeFile(join(checkout, 'binary.test.js'), Buffer.from([0xff, 0xfe, 0]))
  if (path === 'pipe.test.js') await promisify(execFile)('mkfifo', [join(checkout, path)])
  await expect(readLocalTestFile(join(checkout, path))).rejects.toThrow(message)
})
