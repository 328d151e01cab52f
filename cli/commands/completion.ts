import { type Command, Option } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const

/** What a shell asks while somebody types, by the word that its script knows. */
export const completionRequest = 'complete'

export function addCompletion(program: Command): void {
  const completion = program
    .command('completion')
    .description('print a script that lets your shell complete commands, options and projects')
    .addHelpText('after', howToInstall)
  completion
    .addArgument(completion.createArgument('<shell>', 'your shell').choices(shells))
    .action(async (shell: (typeof shells)[number]) => {
      const { script } = await import('@bomb.sh/tab')
      if (shell === 'bash') process.stdout.write(withoutBashCompletion)
      script(shell, 'assay', 'assay')
      // Its own line leaves files out, also where it says that they may stand.
      if (shell === 'bash') process.stdout.write('complete -o default -F __assay_complete assay\n')
    })
  program
    .command(completionRequest, { hidden: true })
    .argument('[words...]')
    .addOption(new Option('--json').hideHelp())
    .allowUnknownOption()
    .action(async () => {
      const { complete } = await import('../complete.ts')
      await complete(process.argv.slice(process.argv.indexOf('--') + 1))
    })
}

const howToInstall = `
bash: echo 'source <(assay completion bash)' >> ~/.bashrc
zsh:  echo 'source <(assay completion zsh)' >> ~/.zshrc
fish: assay completion fish > ~/.config/fish/completions/assay.fish`

/** The script relies on a function of bash-completion, which not everybody has; this does for us what that does. */
const withoutBashCompletion = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref() {
        words=("\${COMP_WORDS[@]}")
        cword=$COMP_CWORD
        cur=\${words[cword]}
        prev=\${words[cword - 1]}
    }
fi
`
