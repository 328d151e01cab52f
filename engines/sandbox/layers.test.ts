import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { copyLayers } from './copy-layers.ts'

let folder: string
let outside: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-layers-'))
  outside = join(folder, 'outside')
  await mkdir(outside)
  await writeFile(join(outside, 'file'), 'of the host')
})
afterEach(() => rm(folder, { recursive: true }))

/** A folder with files, by their paths, and links, whose content begins with an arrow. */
async function layer(name: string, content: Record<string, string>): Promise<string> {
  await mkdir(join(folder, name))
  for (const [path, text] of Object.entries(content)) {
    const place = join(folder, name, path)
    await mkdir(dirname(place), { recursive: true })
    await (text.startsWith('->') ? symlink(text.slice(2), place) : writeFile(place, text))
  }
  return join(folder, name)
}

test('copies layers over each other, the topmost last, and only once', async () => {
  const base = await layer('base', { kept: 'base', 'folder/a': 'base', 'folder/deep/b': 'base' })
  const middle = await layer('middle', { 'folder/a': 'middle', 'folder/c': '->a' })
  const upper = await layer('upper', {})
  await copyLayers([middle, base], upper)
  expect(await readFile(join(upper, 'kept'), 'utf8')).toBe('base')
  expect(await readFile(join(upper, 'folder/c'), 'utf8')).toBe('middle')
  expect(await readFile(join(upper, 'folder/deep/b'), 'utf8')).toBe('base')
  await writeFile(join(upper, 'kept'), 'changed')
  await copyLayers([middle, base], upper)
  expect(await readFile(join(upper, 'kept'), 'utf8')).toBe('changed')
})

test('does not write through links of a lower layer', async () => {
  const base = await layer('base', {
    'file-over-file-link': `->${join(outside, 'file')}`,
    'file-over-folder-link': `->${outside}`,
    'folder-over-folder-link': `->${outside}`,
    'folder-over-file-link': `->${join(outside, 'file')}`,
    'link-over-link': `->${outside}`,
    'deep/folder-over-folder-link': '->../../outside',
    'to-nothing': `->${join(outside, 'made')}`,
  })
  const middle = await layer('middle', {
    'file-over-file-link': 'of the layer',
    'file-over-folder-link': 'of the layer',
    'folder-over-folder-link/file': 'of the layer',
    'folder-over-file-link/file': 'of the layer',
    'link-over-link': '->elsewhere',
    'deep/folder-over-folder-link/file': 'of the layer',
    'to-nothing': 'of the layer',
  })
  const upper = await layer('upper', {})
  await copyLayers([middle, base], upper)
  expect(await readdir(outside)).toEqual(['file'])
  expect(await readFile(join(outside, 'file'), 'utf8')).toBe('of the host')
  for (const path of [
    'file-over-file-link',
    'file-over-folder-link',
    'folder-over-folder-link/file',
    'folder-over-file-link/file',
    'deep/folder-over-folder-link/file',
    'to-nothing',
  ]) {
    expect(await readFile(join(upper, path), 'utf8'), path).toBe('of the layer')
    expect((await lstat(join(upper, dirname(path)))).isDirectory()).toBe(true)
  }
})

test('replaces a folder by a link or file of a layer, and that by a folder of the next layer', async () => {
  const base = await layer('base', { 'a/file': 'base', 'b/file': 'base' })
  const middle = await layer('middle', { a: `->${outside}`, b: 'middle' })
  const top = await layer('top', { 'a/file': 'top', 'a/made': 'top' })
  const upper = await layer('upper', {})
  await copyLayers([top, middle, base], upper)
  expect(await readdir(join(upper, 'a'))).toEqual(['file', 'made'])
  expect(await readFile(join(upper, 'b'), 'utf8')).toBe('middle')
  expect(await readdir(outside)).toEqual(['file'])
})
