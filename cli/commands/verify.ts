import { type Command, InvalidArgumentError, Option } from 'commander'
import { resolve } from 'node:path'
import { isFolder } from '../../client/test-files.ts'
import { openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { addProjectOption, wholeNumber } from '../options.ts'
import { addIncludeOption } from '../snapshot.ts'
import { cancelledLine } from '../words.ts'
import { addChangeOptions, refuseChangeOptions, verifyChange } from './verify-change.ts'
import { addVerifyList } from './verify-list.ts'
import { verifyMany } from './verify-many.ts'
import { followById, verifyFile, type VerifyOptions } from './verify-one.ts'

export function addVerify(program: Command): void {
  const verify = program
    .command('verify')
    .description(
      'decide whether a test is worth keeping by running it with the code of the checkout, as a snapshot if it differs ' +
        'from the commits of the server; exit code 1 unless it is accepted, 5 without a verdict',
    )
    .argument('[files...]', 'test files or folders in the working tree')
    .addOption(new Option('--target <path:symbol>', 'code under test (default: detected)').argParser(readTarget))
    .option('--suggestion <id>', 'suggestion that the test implements')
    .option(
      '--branch <branch>',
      'verify on the newest commit of this branch (default with --project: that of the project)',
    )
    .option('--commit <id>', 'verify on this commit (full id)')
    .addOption(
      new Option('--repeats <count>', 'number of runs of the unchanged code (default: 5)').argParser(
        wholeNumber(2, 20),
      ),
    )
    .addOption(
      new Option('--mutants <count>', 'maximum number of mutants (default: 20)').argParser(wholeNumber(0, 100)),
    )
    .option('--again', 'ignore earlier results for the same test and commit')
    .option('--detach', 'print the id and do not wait for the verdict')
    .option('--id <verification>', 'follow a verification that was started earlier, instead of a file')
    .option('--cancel', 'cancel the verification (with --id)')
  addIncludeOption(addProjectOption(addChangeOptions(verify))).action(run)
  addVerifyList(verify)
}

async function run(files: string[], options: VerifyOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { target, suggestion, id, cancel = false, detach = false } = options
  if (detach && (id !== undefined || cancel)) throw wrongUsage('--detach starts a verification. Leave out --id.')
  if (options.change === true) {
    if (files.length > 0 || target !== undefined || suggestion !== undefined) {
      throw wrongUsage('--change verifies the whole change. Leave out the file, --target and --suggestion.')
    }
    return verifyChange(options, context)
  }
  refuseChangeOptions(options)
  if (files.length === 0 && id === undefined) {
    throw wrongUsage(
      'Say what to verify: a test file or folder, such as `assay verify test/cart.test.js`, or all changes of the checkout ' +
        'with `assay verify --change`. --id follows a verification that was started earlier.',
    )
  }
  if (files.length > 0 && id !== undefined) throw wrongUsage('Give either a test file or --id, not both.')
  if (cancel && id === undefined) throw wrongUsage('--cancel requires the --id of a verification.')
  if (id !== undefined) {
    if (!cancel) return followById(id, context)
    const client = await context.core()
    const cancelled = await client.tests.cancelVerification.mutate({ verificationId: id })
    context.out.answer(cancelled, () => context.out.line(cancelledLine('verification', cancelled)))
    return
  }
  const [first = '', ...others] = files
  if (others.length === 0 && !(await isFolder(resolve(context.cwd, first)))) return verifyFile(first, options, context)
  if (target !== undefined || suggestion !== undefined) {
    throw wrongUsage('--target and --suggestion belong to one test. Name one file.')
  }
  return verifyMany(files, options, context)
}

function readTarget(text: string): { path: string; symbol?: string } {
  const [, path, symbol] = /^(.+?)(?::([^:/\\]+))?$/.exec(text) ?? []
  if (!path)
    throw new InvalidArgumentError('It must be a path with an optional symbol, such as src/cart.ts:Cart.total.')
  return { path, ...(symbol === undefined ? {} : { symbol }) }
}
