import type { Command } from 'commander'
import type { SelectedTests } from '../../core/selection/schema.ts'
import { openContext } from '../context.ts'
import { CommandError, exitCodes } from '../failure.ts'
import { projectWords, readBudget } from '../options.ts'
import type { Output } from '../output.ts'
import { resolveOrAddProject } from '../project.ts'
import { addIncludeOption, sentFacts } from '../snapshot.ts'
import { type CodeOptions, nameCode, wantedCode } from '../wanted-code.ts'

interface SelectOptions extends CodeOptions {
  base?: string
  budget?: number
  why?: boolean
}

export function addSelect(program: Command): void {
  const select = program
    .command('select')
    .description(
      'print the test files that can notice a change, one per line, for your own runner: all of them where that is not certain',
    )
    .argument('[project]', projectWords)
    .option('--base <ref>', 'branch, tag or commit to compare with (default: the branch of the project)')
    .option('--branch <branch>', 'the newest commit of this branch')
    .option('--commit <id>', 'this commit (full id)')
    .option('--head', 'the commit of the current checkout, without uncommitted changes; it must be pushed')
    .option('--budget <time>', 'keep the most useful tests that fit into this time, such as 90s or 5m', readBudget)
    .option('--why', 'print the reason for each file after a tab, and the files that are left out to stderr')
  addIncludeOption(select).action(selectTests)
}

async function selectTests(wanted: string | undefined, options: SelectOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { out } = context
  const core = await context.core()
  const code = await wantedCode(wanted, options, context)
  const { id: projectId } = await resolveOrAddProject(core, wanted, context)
  const { state, sent } = await nameCode(core, projectId, code, context)
  const { snapshotId, commitSha, branch } = state
  const head = commitSha ?? branch
  const selected = await core.testRuns.select.mutate({
    projectId,
    ...(snapshotId === undefined ? head !== undefined && { head } : { snapshotId }),
    ...(options.base !== undefined && { base: options.base }),
    ...(options.budget !== undefined && { budgetSeconds: options.budget }),
  })
  out.answer({ ...selected, ...sentFacts(sent) }, () => print(out, selected, options.why === true))
}

/** @throws CommandError if the list is not complete, because a runner that is given it would leave tests out */
function requireAllFiles({ mode, whyAll, tests, counts }: SelectedTests): void {
  if (mode === 'all' && tests.length === 0) {
    throw new CommandError(exitCodes.noVerdict, 'UNKNOWN_TESTS', `Run all tests, because ${whyAll}.`)
  }
  const unlisted = counts.selected - tests.length
  if (unlisted > 0) {
    throw new CommandError(
      exitCodes.noVerdict,
      'TOO_MANY_TESTS',
      `Run all tests: ${counts.selected} files are selected, and ${unlisted} of them do not fit into the answer.`,
    )
  }
}

function print(out: Output, selected: SelectedTests, why: boolean): void {
  requireAllFiles(selected)
  const { mode, whyAll, baseSha, tests, skipped, counts } = selected
  for (const { file, because } of tests) out.line(why ? `${file}\t${because}` : file)
  if (mode === 'all') out.warn(`All tests run, because ${whyAll}.`)
  else {
    const cut = counts.cut === 0 ? '' : ` ${counts.cut} others are beyond the budget.`
    out.warn(
      `${counts.selected} of ${counts.all} test files can notice what changed since ${baseSha.slice(0, 12)}.${cut}`,
    )
  }
  if (why) for (const { file, because } of skipped) out.warn(`left out: ${file} ${because}`)
}
