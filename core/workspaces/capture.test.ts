import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { capture } from './capture.ts'

async function printed(path: string | undefined, chunks: Buffer[]) {
  let text = ''
  const stream = capture((part) => (text += part), path)
  for (const chunk of chunks) stream.write(chunk)
  await finished(stream.end())
  return { text, failure: stream.failure() }
}

const halves = [Buffer.from([0xc3]), Buffer.from([0xbc, 0x21])]

test('passes output on as text and stores its bytes unchanged', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-capture-'))
  try {
    const path = join(folder, 'go.json')
    expect(await printed(path, halves)).toEqual({ text: 'ü!', failure: undefined })
    expect(await readFile(path, 'utf8')).toBe('ü!')
    expect(await printed(undefined, halves)).toEqual({ text: 'ü!', failure: undefined })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('reports a file that cannot be written, and continues to read the output', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-capture-'))
  try {
    await symlink('/dev/full', join(folder, 'linked'))
    const taken = await printed(join(folder, 'linked'), halves)
    expect(taken).toMatchObject({ text: 'ü!', failure: { code: 'EEXIST' } })
    const absent = await printed(join(folder, 'absent', 'go.json'), halves)
    expect(absent).toMatchObject({ text: 'ü!', failure: { code: 'ENOENT' } })
  } finally {
    await rm(folder, { recursive: true })
  }
})
