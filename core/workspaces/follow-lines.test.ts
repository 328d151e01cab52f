import { appendFile, mkdtempDisposable, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { followLines } from './follow-lines.ts'

test('reads lines while a process writes them, and the last ones at the end', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'follow-'))
  const path = join(folder.path, 'events.jsonl')
  const lines: string[] = []
  const following = followLines(path, (line) => lines.push(line))
  await appendFile(path, 'first\nsec')
  await expect.poll(() => lines).toEqual(['first'])
  const smile = Buffer.from('ond 😀\n')
  await appendFile(path, smile.subarray(0, 5))
  await expect.poll(() => lines).toEqual(['first'])
  await appendFile(path, smile.subarray(5))
  await expect.poll(() => lines).toEqual(['first', 'second 😀'])
  await appendFile(path, 'last\nnot whole')
  await following.end()
  expect(lines).toEqual(['first', 'second 😀', 'last'])
})

test('leaves out lines without an end, and follows no link', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'follow-'))
  const lines: string[] = []
  await writeFile(join(folder.path, 'long'), `a\n${'b'.repeat(3 * 2 ** 20)}\nc\n`)
  await followLines(join(folder.path, 'long'), (line) => lines.push(line)).end()
  expect(lines).toEqual(['a', 'c'])
  await symlink('long', join(folder.path, 'link'))
  await followLines(join(folder.path, 'link'), (line) => lines.push(line)).end()
  await followLines(join(folder.path, 'missing'), (line) => lines.push(line)).end()
  expect(lines).toHaveLength(2)
})
