import { expect, test } from 'vitest'
import type { LeftOut } from '../engines/source/packing/left-out.ts'
import { unsentCode } from './unsent-code.ts'

const left = (path: string, reason: LeftOut['reason']): LeftOut => ({ path, reason, why: 'x' })

test('names code and tests that a snapshot lacks, and not other files', async () => {
  const others = [left('.env', 'credential'), left('src/gone.js', 'not_found'), left('docs/a.md', 'filter')]
  expect(await unsentCode(others, 'use --include')).toBeUndefined()
  expect(await unsentCode([...others, left('src/refund.js', 'credential')], 'use --include')).toEqual({
    sentence: 'src/refund.js was left out of the snapshot, so nothing is proved about it.',
    advice: 'To send it, use --include.',
  })
  const several = [left('src/a.js', 'filter'), left('test/a.test.js', 'filter')]
  expect(await unsentCode(several, 'use --include')).toEqual({
    sentence: 'src/a.js, test/a.test.js were left out of the snapshot, so nothing is proved about them.',
    advice: 'To send them, commit files with a filter and verify the commit.',
  })
})
