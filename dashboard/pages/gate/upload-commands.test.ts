import { expect, test } from 'vitest'
import { uploadCommands } from './upload-commands.ts'

test('names each upload that is missing, as a word of the shell', () => {
  const names = ['unit', 'end to end', "it's; rm -rf $HOME"]
  expect(uploadCommands({ names }, ['unit'])).toBe(
    [
      "assay upload --name 'end to end'",
      String.raw`assay upload --name 'it'\''s; rm -rf $HOME'`,
      'assay upload --done   # no more will come',
    ].join('\n'),
  )
})

test('names none where the project expects a number of uploads, or the end of them', () => {
  expect(uploadCommands({ names: ['unit'] }, ['unit'])).toMatch(/^assay upload\nassay upload --done/)
})
