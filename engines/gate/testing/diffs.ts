import { chmod, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Files, GitRepository } from '../../source/testing/git-repository.ts'

/**
 * A change, and which of its lines are covered and uncovered, counted by hand: `1-2|4`. Lines of the head that end with `+`
 * are covered, those that end with `-` are not, and no report names the others.
 */
export interface Diff {
  name: string
  base: Files
  change: (repository: GitRepository) => Promise<unknown>
  expected: Record<string, string>
  /** Set if diff-cover says something else: why that is wrong. */
  whyNotAsDiffCover?: string
}

const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join('')
const commit = (files: Files) => (repository: GitRepository) => repository.commit(files)
const numbered = (count: number, sign: string) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1} ${sign}`)

const abc = text('a +', 'b +', 'c +', 'd +', 'e +')

export const diffs: Diff[] = [
  {
    name: 'an added file',
    base: { 'a.py': abc },
    change: commit({ 'b.py': text('import x', 'one +', 'two -', '', '# comment', 'three +') }),
    expected: { 'b.py': '2,6|3' },
  },
  {
    name: 'a modified line',
    base: { 'a.py': abc },
    change: commit({ 'a.py': text('a +', 'B -', 'c +', 'd +', 'e +') }),
    expected: { 'a.py': '|2' },
  },
  {
    name: 'inserted lines between others',
    base: { 'a.py': abc },
    change: commit({ 'a.py': text('a +', 'new +', 'new -', 'b +', 'c +', 'd +', 'e +') }),
    expected: { 'a.py': '2|3' },
  },
  {
    name: 'a removed line',
    base: { 'a.py': abc, 'b.py': text('x +') },
    change: commit({ 'a.py': text('a +', 'c +', 'd +', 'e +'), 'b.py': text('y -') }),
    expected: { 'b.py': '|1' },
  },
  {
    name: 'a deleted file',
    base: { 'a.py': abc, 'b.py': text('x +') },
    change: async (repository) => {
      await repository.git('rm', '-q', 'a.py')
      await repository.commit({ 'b.py': text('y +', 'z -') })
    },
    expected: { 'b.py': '1|2' },
  },
  {
    name: 'a renamed file without an edit',
    base: { 'a.py': text(...numbered(20, '-')), 'b.py': text('x +') },
    change: async (repository) => {
      await repository.git('mv', 'a.py', 'c.py')
      await repository.commit({ 'b.py': text('y +') })
    },
    expected: { 'b.py': '1|' },
  },
  {
    name: 'a renamed file with an edit',
    base: { 'a.py': text(...numbered(20, '+')) },
    change: async (repository) => {
      await repository.git('mv', 'a.py', 'c.py')
      await repository.commit({
        'c.py': text(...numbered(9, '+'), 'other -', 'more +', ...numbered(20, '+').slice(10)),
      })
    },
    expected: { 'c.py': '11|10' },
  },
  {
    name: 'a file that moved to another folder and was edited',
    base: { 'src/a.py': text(...numbered(30, '+')) },
    change: async (repository) => {
      await repository.commit({ 'lib/deep/a.py': text('first -', ...numbered(30, '+')) })
      await repository.git('rm', '-q', 'src/a.py')
      await repository.commit()
    },
    expected: { 'lib/deep/a.py': '|1' },
  },
  {
    name: 'a rename that only changes the case of letters',
    base: { 'Cart.py': text(...numbered(12, '-')) },
    change: async (repository) => {
      await repository.git('mv', 'Cart.py', 'cart.py')
      await repository.commit({ 'cart.py': text(...numbered(12, '-'), 'end +') })
    },
    expected: { 'cart.py': '13|' },
  },
  {
    name: 'a moved block',
    base: { 'a.py': text('a +', 'b +', 'c -', 'd -', 'e +', 'f +', 'g +', 'h +') },
    change: commit({ 'a.py': text('a +', 'b +', 'e +', 'f +', 'g +', 'h +', 'c -', 'd -') }),
    expected: { 'a.py': '|7-8' },
  },
  {
    name: 'a change of the mode alone',
    base: { 'tool.py': abc, 'b.py': text('x +') },
    change: async (repository) => {
      await chmod(join(repository.path, 'tool.py'), 0o755)
      await repository.commit({ 'b.py': text('y +') })
    },
    expected: { 'b.py': '1|' },
  },
  {
    name: 'a change of the mode with an edit',
    base: { 'tool.py': abc },
    change: async (repository) => {
      await chmod(join(repository.path, 'tool.py'), 0o755)
      await repository.commit({ 'tool.py': `${abc}f -\n` })
    },
    expected: { 'tool.py': '|6' },
  },
  {
    name: 'line ends that became those of Windows',
    base: { 'a.py': text('a +', 'b -', 'c +') },
    change: commit({ 'a.py': 'a +\r\nb -\r\nc +\r\n' }),
    expected: { 'a.py': '1,3|2' },
  },
  {
    name: 'an edit in a file with line ends of Windows',
    base: { 'a.py': 'a +\r\nb +\r\nc +\r\n' },
    change: commit({ 'a.py': 'a +\r\nB -\r\nc +\r\n' }),
    expected: { 'a.py': '|2' },
  },
  {
    name: 'a last line that lost its line break',
    base: { 'a.py': text('a +', 'b +') },
    change: commit({ 'a.py': 'a +\nb +' }),
    expected: { 'a.py': '2|' },
  },
  {
    name: 'a last line that got a line break, and a line after it',
    base: { 'a.py': 'a +\nb -' },
    change: commit({ 'a.py': text('a +', 'b -', 'c +') }),
    expected: { 'a.py': '3|2' },
    whyNotAsDiffCover:
      'It counts git\'s remark "No newline at end of file" as a line, and looks one line too far down.',
  },
  {
    name: 'an edit in a file without a line break at its end',
    base: { 'a.py': 'a +\nb +\nc +' },
    change: commit({ 'a.py': 'A -\nb +\nc +' }),
    expected: { 'a.py': '|1' },
  },
  {
    name: 'a generated file that the report names',
    base: { 'api.py': text('x +') },
    change: commit({ 'api_pb2.py': text('# Generated by the protocol buffer compiler.', 'one -', 'two +') }),
    expected: { 'api_pb2.py': '3|2' },
  },
  {
    name: 'a generated file that no report names',
    base: { 'api.py': text('x +') },
    change: commit({ 'api.py': text('y -'), 'bundle.min.js': text('a', 'b') }),
    expected: { 'api.py': '|1' },
  },
  {
    name: 'a submodule that points to another commit',
    base: { 'a.py': abc },
    change: async (repository) => {
      const id = await repository.git('rev-parse', 'HEAD')
      await repository.git('update-index', '--add', '--cacheinfo', `160000,${id},vendor`)
      await repository.git('commit', '-q', '-m', 'Add')
      await repository.write({ 'a.py': `${abc}f +\n` })
      await repository.git('commit', '-q', '-a', '-m', 'Change')
    },
    expected: { 'a.py': '6|' },
  },
  {
    name: 'a base branch that went on',
    base: { 'a.py': abc, 'b.py': abc },
    change: async (repository) => {
      await repository.commit({ 'a.py': `${abc}mine -\n` })
      await repository.git('checkout', '-q', 'main')
      await repository.commit({ 'b.py': text('other +', 'other -') })
      await repository.git('checkout', '-q', 'feature')
    },
    expected: { 'a.py': '|6' },
  },
  {
    name: 'a merge of the base branch',
    base: { 'a.py': abc, 'b.py': abc },
    change: async (repository) => {
      await repository.commit({ 'a.py': `${abc}mine -\n` })
      await repository.git('checkout', '-q', 'main')
      await repository.commit({ 'b.py': text('other +', 'other -') })
      await repository.git('checkout', '-q', 'feature')
      await repository.git('merge', '-q', '--no-edit', 'main')
      await repository.commit({ 'b.py': text('other +', 'other -', 'mine +') })
    },
    expected: { 'a.py': '|6', 'b.py': '3|' },
  },
  {
    name: 'a merge with a conflict that was resolved',
    base: { 'a.py': text('a +', 'b +', 'c +') },
    change: async (repository) => {
      await repository.commit({ 'a.py': text('a +', 'mine -', 'c +') })
      await repository.git('checkout', '-q', 'main')
      await repository.commit({ 'a.py': text('a +', 'theirs +', 'c +') })
      await repository.git('checkout', '-q', 'feature')
      await repository.git('merge', '-q', '--no-edit', 'main').catch(() => {})
      await repository.commit({ 'a.py': text('a +', 'theirs +', 'both -', 'c +') })
    },
    expected: { 'a.py': '|3' },
  },
  {
    name: 'commits that take back what earlier ones did',
    base: { 'a.py': abc, 'b.py': abc },
    change: async (repository) => {
      await repository.commit({ 'a.py': text('x -', 'y -'), 'b.py': text('q -', 'b +', 'c +', 'd +', 'e +') })
      await repository.commit({ 'a.py': abc })
    },
    expected: { 'b.py': '|1' },
  },
  {
    name: 'a name with spaces',
    base: { 'my code/a b.py': abc },
    change: commit({ 'my code/a b.py': `${abc}f -\n` }),
    expected: { 'my code/a b.py': '|6' },
  },
  {
    name: 'a name beyond ASCII',
    base: { 'größe.py': abc },
    change: commit({ 'größe.py': `${abc}f +\n` }),
    expected: { 'größe.py': '6|' },
  },
  {
    name: 'only comments and blank lines',
    base: { 'a.py': abc, 'b.py': text('x +') },
    change: commit({ 'a.py': text('a +', 'b +', '', '# why', 'c +', 'd +', 'e +'), 'b.py': text('y +') }),
    expected: { 'b.py': '1|' },
  },
  {
    name: 'other white space',
    base: { 'a.py': abc },
    change: commit({ 'a.py': text('a +', '    b +', 'c +', 'd +', 'e +') }),
    expected: { 'a.py': '2|' },
  },
  {
    name: 'a binary file',
    base: { 'a.py': abc, 'image.bin': Buffer.from([0, 1, 2]) },
    change: commit({ 'a.py': `${abc}f -\n`, 'image.bin': Buffer.from([0, 1, 3]) }),
    expected: { 'a.py': '|6' },
  },
  {
    name: 'a file that became a link',
    base: { 'a.py': text('x +', 'y -'), 'b.py': abc },
    change: async (repository) => {
      await rm(join(repository.path, 'b.py'))
      await symlink('a.py', join(repository.path, 'b.py'))
      await repository.commit({ 'a.py': text('x +', 'y -', 'z +') })
    },
    expected: { 'a.py': '3|' },
  },
  {
    name: 'a copied file',
    base: { 'a.py': text(...numbered(20, '+')) },
    change: commit({ 'a.py': text(...numbered(20, '+'), 'end -'), 'copy.py': text(...numbered(20, '+')) }),
    expected: { 'a.py': '|21', 'copy.py': '1-20|' },
  },
  {
    name: 'an emptied file, and an empty new one',
    base: { 'a.py': abc, 'b.py': text('x +') },
    change: commit({ 'a.py': '', 'empty.py': '', 'b.py': text('y -') }),
    expected: { 'b.py': '|1' },
  },
  {
    name: 'changes at both ends of a large file',
    base: { 'a.py': text(...numbered(5_000, '+')) },
    change: commit({ 'a.py': text('first -', ...numbered(5_000, '+').slice(1, 4_999), 'last +', 'after -') }),
    expected: { 'a.py': '5000|1,5001' },
  },
  {
    name: 'changed tests that the report names',
    base: { 'tests/test_a.py': abc },
    change: commit({ 'tests/test_a.py': `${abc}f +\n` }),
    expected: { 'tests/test_a.py': '6|' },
  },
  {
    name: '5,000 files',
    base: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`pkg${at % 50}/m${at}.py`, text('a +', 'b -')])),
    change: commit(
      Object.fromEntries(
        Array.from({ length: 5_000 }, (_, at) => [
          `pkg${at % 50}/m${at}.py`,
          text('a +', at % 2 === 0 ? 'B +' : 'B -'),
        ]),
      ),
    ),
    expected: Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [`pkg${at % 50}/m${at}.py`, at % 2 === 0 ? '2|' : '|2']),
    ),
  },
]
