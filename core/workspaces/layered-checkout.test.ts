import { mkdtempDisposable, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { layersAbove } from './layered-checkout.ts'

test('creates layers that can be mounted, empty or with a file as old as that of the checkout', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'layers-'))
  await writeFile(join(folder.path, 'a.js'), 'old')
  await utimes(join(folder.path, 'a.js'), 1_000, 1_000)
  const layers = layersAbove({ directory: folder.path, checkout: folder.path })

  const empty = await layers.newLayer('.')
  expect((await stat(empty)).isDirectory()).toBe(true)
  expect((await stat(join(await layers.newLayer('src/deep/a.js'), 'src/deep'))).isDirectory()).toBe(true)
  const other = join(await layers.makeLayer('a.js', 'new'), 'a.js')
  expect(await readFile(other, 'utf8')).toBe('new')
  expect((await stat(other)).mtimeMs).toBe(1_000_000)
})
