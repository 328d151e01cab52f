import { type Command, Option } from 'commander'
import { openBareContext } from '../context.ts'
import { shells } from '../shells.ts'

/** The hidden command that the scripts call. */
export const completionRequest = 'complete'

/** @param createCompleted - creates the program that is completed */
export function addCompletion(program: Command, createCompleted: () => Command): void {
  const completion = program
    .command('completion')
    .description('print the shell completion script')
    .addHelpText('after', howToInstall)
  completion
    .addArgument(completion.createArgument('<shell>', 'shell to complete for').choices(shells))
    .action(async (shell: (typeof shells)[number], _options: unknown, command: Command) => {
      if (shell === 'fish') (await import('@bomb.sh/tab')).script(shell, 'assay', 'assay')
      else openBareContext(command).stdout.write(shell === 'bash' ? bashScript : zshScript)
    })
  program
    .command(completionRequest, { hidden: true })
    .argument('[words...]')
    .addOption(new Option('--json').hideHelp())
    .allowUnknownOption()
    .action(async (_words: string[], _options: unknown, command: Command) => {
      const { args, env } = openBareContext(command)
      const { complete } = await import('../complete.ts')
      await complete(args.slice(args.indexOf('--') + 1), { env, program: createCompleted() })
    })
}

const howToInstall = `
bash: echo 'source <(assay completion bash)' >> ~/.bashrc
zsh:  echo 'source <(assay completion zsh)' >> ~/.zshrc
fish: assay completion fish > ~/.config/fish/completions/assay.fish`

// The library's own scripts for bash and zsh evaluate the typed line, which would execute commands in it.

/** Bash inserts a completion without quoting it, so the script offers plain words only. */
const bashScript = `# bash completion for assay
__assay_complete() {
    local word line value words=() cur=\${COMP_WORDS[COMP_CWORD]}
    for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
        [[ $word == = ]] || words+=("$word")
    done
    if [[ $cur == = ]]; then
        cur=
        words+=("")
    fi
    COMPREPLY=()
    while IFS= read -r line; do
        value=\${line%%$'\\t'*}
        if [[ $value == :* ]]; then
            [[ $value != :4 ]] || compopt +o default 2>/dev/null
        elif [[ $value == "$cur"* && $value =~ ^[A-Za-z0-9_./@-]+$ ]]; then
            COMPREPLY+=("$value")
        fi
    done < <(assay complete -- "\${words[@]}" 2>/dev/null)
}
complete -o default -F __assay_complete assay
`

const zshScript = `#compdef assay
compdef _assay assay
_assay() {
    local line takesFiles=1
    local -a offered
    while IFS= read -r line; do
        case $line in
            :4) takesFiles=0 ;;
            :*) ;;
            *) line=\${line//:/\\\\:}; offered+=("\${line/$'\\t'/:}") ;;
        esac
    done < <(assay complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
    _describe assay offered && return
    (( takesFiles )) && _files
}
# Zsh may also load this file by itself.
if [ "\${funcstack[1]}" = _assay ]; then _assay; fi
`
