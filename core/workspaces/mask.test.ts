import { expect, test } from 'vitest'
import { maskBytes, maskOf } from './mask.ts'

test('masks values of the environment, longest first', () => {
  const mask = maskOf({ TOKEN: 'hunter2', LONGER: 'hunter2-and-more' })
  expect(mask('sent hunter2-and-more, then hunter2')).toBe('sent ***, then ***')
})

test('masks each line of a value, because logs are read line by line', () => {
  const mask = maskOf({ KEY: '-----BEGIN KEY-----\nc2VjcmV0\nbGluZXM=\n' })
  expect(mask('c2VjcmV0')).toBe('***')
  expect(mask('found bGluZXM= here')).toBe('found *** here')
})

test('does not mask short values, so that texts remain readable', () => {
  expect(maskOf({ DEBUG: '1', LEVEL: 'info', EMPTY: '', BLANK: '        ' })('level info 1')).toBe('level info 1')
})

test('does not treat a secret as a pattern or replacement', () => {
  const mask = maskOf({ PATTERN: '.*$&[a]' })
  expect(mask('x .*$&[a] y')).toBe('x *** y')
})

const secret = 'hunter2-ü-and-more'
const masked = async (chunks: Buffer[]) => {
  async function* bytes() {
    yield* chunks
  }
  const out: Buffer[] = []
  for await (const chunk of maskBytes(bytes(), { KEY: secret })) out.push(chunk)
  return Buffer.concat(out)
}

test('masks values in files across chunks, and changes nothing else', async () => {
  const content = Buffer.concat([
    Buffer.from([0xff, 0, 0xc3]),
    Buffer.from(`got ${secret}, ${secret.slice(0, 9)}, ${secret}`),
  ])
  const expected = Buffer.concat([Buffer.from([0xff, 0, 0xc3]), Buffer.from(`got ***, ${secret.slice(0, 9)}, ***`)])
  for (let at = 0; at <= content.length; at++) {
    expect(await masked([content.subarray(0, at), content.subarray(at)])).toEqual(expected)
  }
  expect(await masked([...content].map((byte) => Buffer.from([byte])))).toEqual(expected)
  expect(await masked([])).toEqual(Buffer.alloc(0))
})
