import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createVerificationScene, type VerificationScene } from '../testing/scene.ts'

vi.setConfig({ testTimeout: 300_000 })

let scene: VerificationScene
beforeAll(async () => {
  scene = await createVerificationScene()
})
afterAll(() => scene[Symbol.asyncDispose]())

/** Without the `raise`, `None.upper()` raises an AttributeError. */
const words = `def shout(text):
    if text is None:
        raise ValueError("no text")
    return text.upper()


def whisper(text):
    return text.lower()
`
const filePath = 'test_words.py'

interface Written {
  files: Record<string, string>
  code: string
}

async function verify({ files, code }: Written) {
  const { id } = await scene.project({ 'words.py': words, ...files })
  const { verdict, evidence, error } = await scene.verify(id, { filePath, code }, { repeats: 2, mutants: 20 })
  expect(error).toBeNull()
  const { summary, coverage, mutation, warnings } = evidence ?? {}
  return { verdict, summary, coverage, mutation, warnings }
}

const whispers = `import pytest
from words import shout, whisper


def test_whispers():
    assert whisper("A") == "a"
`
const added = (...lines: string[]) => ({
  files: { 'pytest.ini': '[pytest]\n', [filePath]: whispers },
  code: `${whispers}\n\ndef test_rejects():\n${lines.map((line) => `    ${line}\n`).join('')}`,
})

test('a pytest test of an error is accepted, though mutants lead to another error', async () => {
  const { verdict, summary, mutation } = await verify(
    added('with pytest.raises(ValueError, match="no text"):', '    shout(None)'),
  )
  expect(verdict, summary).toBe('accepted')
  expect(mutation?.killed, summary).toBeGreaterThan(0)
  expect(mutation?.crashed).toBe(0)
})

test('a unittest test of an error is accepted, though mutants lead to another error', async () => {
  const code = `import unittest
from words import shout


class Words(unittest.TestCase):
    def test_rejects(self):
        with self.assertRaisesRegex(ValueError, "no text"):
            shout(None)
`
  const other = code
    .replace('shout', 'whisper')
    .replace(/ {8}with[^]*$/, '        self.assertEqual(whisper("A"), "a")\n')
  const { verdict, summary, mutation } = await verify({ files: { 'test_other.py': other }, code })
  expect(verdict, summary).toBe('accepted')
  expect(mutation?.crashed).toBe(0)
})

test('a mutant that crashes where no error is expected is not killed', async () => {
  const { verdict, summary, coverage, mutation, warnings } = await verify(
    added('try:', '    shout(None)', 'except ValueError as error:', '    assert error'),
  )
  expect(verdict, summary).toBe('no_gain')
  expect(mutation?.killed, summary).toBe(0)
  expect(mutation?.crashed).toBeGreaterThan(0)
  // Coverage is only measured if the project installs pytest-cov or coverage.
  if (coverage === null) {
    expect(summary).toContain('Assay could not measure what it covers.')
    expect(warnings).toContain(
      'Assay could not measure what the test covers: the package coverage is missing in the environment of the project. Add it to the dependencies.',
    )
  }
})
