import type { Example } from './example.ts'

/** What an example says wherever a person has to go on. None of it holds words of strangers. */
export const stateExpectation = 'State here what is expected. It returned: '
export const stateExpectedState = 'State here what must hold for it: '
export const chooseSubject = 'Call what is to be tested here, and state what is expected'
export const stillOpen = 'Still to be written'

/** The comment above the input. */
export function arrange({ testType, subject }: Example): string {
  if (testType === 'integration') {
    return 'Arrange: use the real collaborators, and replace this by a request as clients send it.'
  }
  if (subject.form === 'construct') return 'Arrange: replace this by what it is made from.'
  return 'Arrange: replace this by input that takes the usual path.'
}

/** Comment lines with their sign, ready to stand at the top. */
export const commentLines = (lines: readonly string[], sign: string) => lines.map((line) => `${sign} ${line}`)

/** Indents every line that is not empty. */
export const indent = (lines: readonly string[], by: string) => lines.map((line) => (line === '' ? '' : by + line))

/** Puts an empty line between blocks. */
export const separate = (blocks: readonly (readonly string[])[]) =>
  blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block]))
