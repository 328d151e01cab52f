import { Command, Help, type OutputConfiguration } from 'commander'
import packageInfo from '../package.json' with { type: 'json' }
import { addAnalyze } from './commands/analyze.ts'
import { addCancel } from './commands/cancel.ts'
import { addCodeHost } from './commands/code-host.ts'
import { addCompletion } from './commands/completion.ts'
import { addDoctor } from './commands/doctor.ts'
import { addFailures } from './commands/failures.ts'
import { addGate } from './commands/gate.ts'
import { addGenerate } from './commands/generate.ts'
import { addLog } from './commands/log.ts'
import { addLogin } from './commands/login.ts'
import { addLogout } from './commands/logout.ts'
import { addProjects } from './commands/projects.ts'
import { addQuarantine } from './commands/quarantine.ts'
import { addRun } from './commands/run.ts'
import { addSelect } from './commands/select.ts'
import { addSkill } from './commands/skill.ts'
import { addSnapshots } from './commands/snapshots.ts'
import { addStatus } from './commands/status.ts'
import { addSuggest } from './commands/suggest.ts'
import { addTests } from './commands/tests.ts'
import { addTokens } from './commands/tokens.ts'
import { addUpload } from './commands/upload.ts'
import { addVerify } from './commands/verify.ts'
import { addWeak } from './commands/weak.ts'
import { addWebhooks } from './commands/webhooks.ts'
import { addWhoami } from './commands/whoami.ts'
import { bindInvocation } from './context.ts'
import type { RunningInvocation } from './invocation.ts'
import { withoutFarNames } from './near-names.ts'
import { columnsOf, type Terminal } from './output.ts'

interface ProgramOptions {
  invocation?: RunningInvocation
  completes?: boolean
}

/**
 * Creates the program with every command, in the order of its help.
 *
 * @param invocation - needed only to run a command
 * @param completes - whether the shell's requests for completions are among the commands
 */
export function createProgram({ invocation, completes = true }: ProgramOptions = {}): Command {
  const program = new Command('assay')
    .description(
      'Find the code that is worth testing, run tests in a sandbox, and decide whether a test is worth keeping.',
    )
    .version(packageInfo.version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .option('--json', 'print the output as JSON')
    .exitOverride()
    .configureHelp({
      showGlobalOptions: true,
      // A group and its command may share an option.
      visibleGlobalOptions(command) {
        const own = new Set(command.options.map(({ flags }) => flags))
        return Help.prototype.visibleGlobalOptions.call(this, command).filter(({ flags }) => !own.has(flags))
      },
    })
    .configureOutput({
      ...(invocation ? streamsOf(invocation) : {}),
      outputError: (text, write) => write(withoutFarNames(text)),
    })
    .showHelpAfterError('Run `assay --help` to list commands, or `assay help COMMAND` for help with one.')
    .addHelpText(
      'after',
      '\nRun `assay mcp` to start the MCP server for coding agents over stdio. `assay mcp --help` shows its options.',
    )
  if (invocation) bindInvocation(program, invocation)
  addLogin(program)
  addLogout(program)
  addWhoami(program)
  addProjects(program)
  addAnalyze(program)
  addSuggest(program)
  addGenerate(program)
  addVerify(program)
  addWeak(program)
  addRun(program)
  addSelect(program)
  addStatus(program)
  addFailures(program)
  addLog(program)
  addCancel(program)
  addUpload(program)
  addGate(program)
  addTests(program)
  addQuarantine(program)
  addSnapshots(program)
  addWebhooks(program)
  addCodeHost(program)
  addTokens(program)
  addSkill(program)
  addDoctor(program)
  if (completes) addCompletion(program, () => createProgram({ completes: false }))
  for (const command of program.commands) nameHelp(command, program.name())
  return program
}

/** After a wrong option, each command names its own help. */
function nameHelp(command: Command, parent: string): void {
  const name = `${parent} ${command.name()}`
  command.showHelpAfterError(`Run \`${name} --help\` for help.`)
  for (const each of command.commands) nameHelp(each, name)
}

function streamsOf({ stdout, stderr }: RunningInvocation): OutputConfiguration {
  const widthOf = (stream: Terminal) => (stream.isTTY === true ? columnsOf(stream) : undefined) ?? 80
  return {
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
    getOutHelpWidth: () => widthOf(stdout),
    getErrHelpWidth: () => widthOf(stderr),
  }
}
